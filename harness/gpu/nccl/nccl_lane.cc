#include "harness/gpu/nccl/nccl_lane.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "harness/core/check.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/device/device_error.h"

namespace harness {
namespace {

constexpr std::chrono::microseconds kPollInterval{10};

}  // namespace

NcclLane::NcclLane(int device, WorkerId self, std::function<void()> wake,
                   std::shared_ptr<const CudaEvent> allocated)
    : device_(device), self_(self), wake_(std::move(wake)), allocated_(std::move(allocated)) {
  set_cuda_device(device,
                  "choosing device " + std::to_string(device) + " for worker " + std::to_string(self));
  stream_ = std::make_unique<CudaStream>();
  thread_ = std::thread([this] { run(); });
}

NcclLane::~NcclLane() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  requested_.notify_one();
  thread_.join();
  communicators_.clear();
  // The aborts have ended all enqueued operations; nobody needs to hear of a lost device now.
  (void)cudaStreamSynchronize(stream_->get());
}

void NcclLane::open(ChannelId channel, const ncclUniqueId& id, std::vector<WorkerId> members) {
  const std::lock_guard lock(mutex_);
  to_open_.push_back({channel, id, std::move(members)});
  requested_.notify_one();
}

void NcclLane::open(ChannelId channel, std::span<const std::byte> id, std::vector<WorkerId> members) {
  ncclUniqueId made = {};
  HARNESS_CHECK(id.size() == sizeof made, "the id of a channel is not one of NCCL");
  std::memcpy(&made, id.data(), sizeof made);
  open(channel, made, std::move(members));
}

std::vector<std::pair<ChannelId, std::string>> NcclLane::opened() {
  const std::lock_guard lock(mutex_);
  return std::exchange(opened_, {});
}

void NcclLane::send(std::uint64_t ticket, ChannelId channel, WorkerId to, std::span<const std::byte> bytes) {
  add(ticket, channel, [bytes, to](NcclCommunicator& c, cudaStream_t stream) { c.send(bytes, to, stream); });
}

void NcclLane::receive(std::uint64_t ticket, ChannelId channel, WorkerId from, std::span<std::byte> bytes) {
  add(ticket, channel,
      [bytes, from](NcclCommunicator& c, cudaStream_t stream) { c.receive(bytes, from, stream); });
}

void NcclLane::add(std::uint64_t ticket, ChannelId channel,
                   std::function<void(NcclCommunicator&, cudaStream_t)> launch) {
  const std::lock_guard lock(mutex_);
  to_launch_.push_back({.ticket = ticket, .channel = channel, .launch = std::move(launch)});
  requested_.notify_one();
}

void NcclLane::abort(ChannelId channel) {
  const std::lock_guard lock(mutex_);
  to_abort_.push_back(channel);
  requested_.notify_one();
}

void NcclLane::take(std::vector<LaneEnd>& ended) {
  const std::lock_guard lock(mutex_);
  std::ranges::move(ended_, std::back_inserter(ended));
  ended_.clear();
}

void NcclLane::run() {
  (void)cudaSetDevice(device_);  // this call succeeded in the constructor
  bool busy = false;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto called = [&] {
        return stops_ || !to_open_.empty() || !to_launch_.empty() || !to_abort_.empty();
      };
      if (busy)
        requested_.wait_for(lock, kPollInterval, called);
      else
        requested_.wait(lock, called);
      if (stops_) return;
    }
    busy = turn();
  }
}

bool NcclLane::turn() {
  take_requests();
  watch_joining();
  watch_launching();
  while (launching_.empty() && !waiting_.empty()) {
    launch_next();
    watch_launching();
  }
  watch_running();
  return !joining_.empty() || !waiting_.empty() || !launching_.empty() || !running_.empty();
}

void NcclLane::take_requests() {
  std::vector<Opening> to_open;
  std::vector<ChannelId> to_abort;
  {
    const std::lock_guard lock(mutex_);
    to_open.swap(to_open_);
    to_abort.swap(to_abort_);
    std::ranges::move(to_launch_, std::back_inserter(waiting_));
    to_launch_.clear();
  }
  for (Opening& opening : to_open) {
    try {
      communicators_[opening.channel] =
          std::make_unique<NcclCommunicator>(opening.id, std::move(opening.members), self_, device_);
      joining_.push_back(opening.channel);
    } catch (const DeviceError& error) {
      communicators_.erase(opening.channel);
      tell_opened(opening.channel, error.what());
    }
  }
  for (const ChannelId channel : to_abort)
    give_up(channel, "device cuda:" + std::to_string(device_) + ": channel " + std::to_string(channel) +
                         " was aborted");
}

void NcclLane::watch_joining() {
  for (const ChannelId channel : std::vector<ChannelId>(joining_)) {
    NcclCommunicator& communicator = *communicators_.at(channel);
    const NcclCommunicator::State state = communicator.state();
    if (state == NcclCommunicator::State::kReady) {
      std::erase(joining_, channel);
      tell_opened(channel, "");
    } else if (state == NcclCommunicator::State::kBroken) {
      give_up(channel, communicator.failure());
    }
  }
}

void NcclLane::watch_launching() {
  if (launching_.empty()) return;
  NcclCommunicator& communicator = *communicators_.at(launching_.front().channel);
  const NcclCommunicator::State state = communicator.state();
  if (state == NcclCommunicator::State::kBusy) return;
  if (state == NcclCommunicator::State::kBroken)
    return give_up(launching_.front().channel, communicator.failure());
  Operation operation = std::move(launching_.front());
  launching_.pop_front();
  if (mark_enqueued(operation)) return running_.push_back(std::move(operation));
  end_unmarked(std::move(operation));
}

void NcclLane::launch_next() {
  Operation operation = std::move(waiting_.front());
  waiting_.pop_front();
  const auto found = communicators_.find(operation.channel);
  if (found == communicators_.end() || std::ranges::count(joining_, operation.channel) > 0) {
    operation.failure = "device cuda:" + std::to_string(device_) + ": channel " +
                        std::to_string(operation.channel) + " is not open";
    return end(std::move(operation));
  }
  try {
    if (allocated_) stream_->wait_for(*allocated_);
    operation.launch(*found->second, stream_->get());
    launching_.push_back(std::move(operation));
  } catch (const DeviceError& error) {
    operation.failure = error.what();
    fail(std::move(operation));
  }
}

void NcclLane::watch_running() {
  for (const auto& [channel, communicator] : communicators_)
    if (communicator->state() == NcclCommunicator::State::kBroken) {
      give_up(channel, communicator->failure());
      break;  // the map has changed; the next round looks at the others
    }
  while (!running_.empty()) {
    bool is_over = true;
    try {
      if (!running_.front().done->passed()) return;
    } catch (const DeviceError& error) {
      running_.front().failure = error.what();
      is_over = error.fault() == DeviceFault::kDeviceLost;
    }
    Operation operation = std::move(running_.front());
    running_.pop_front();
    if (is_over)
      end(std::move(operation));
    else
      end_unmarked(std::move(operation));
  }
}

void NcclLane::give_up(ChannelId channel, std::string why) {
  if (std::erase(joining_, channel) > 0) tell_opened(channel, why);
  for (Operation& operation : running_)
    if (operation.channel == channel && cudaEventQuery(operation.done->get()) != cudaSuccess)
      operation.failure = why;
  communicators_.erase(channel);
  if (launching_.empty() || launching_.front().channel != channel) return;
  // It is not known whether it was enqueued: its memory is free when the stream has passed this point.
  Operation operation = std::move(launching_.front());
  launching_.pop_front();
  if (mark_enqueued(operation)) {
    operation.failure = std::move(why);
    running_.push_back(std::move(operation));
  } else {
    end_unmarked(std::move(operation));
  }
}

void NcclLane::end_unmarked(Operation operation) {
  const std::string why = operation.failure;
  while (!communicators_.empty()) give_up(communicators_.begin()->first, why);
  (void)cudaStreamSynchronize(stream_->get());  // a lost device does not use the memory any more
  end(std::move(operation));
}

bool NcclLane::mark_enqueued(Operation& operation) {
  try {
    if (events_.empty()) events_.emplace_back(CudaEvent::Timing::kOff);
    operation.done = std::move(events_.back());
    events_.pop_back();
    operation.done->record(*stream_);
    return true;
  } catch (const DeviceError& error) {
    operation.failure = error.what();
    return false;
  }
}

void NcclLane::fail(Operation operation) {
  // This comes first: its enqueued part ends with the communicator.
  give_up(operation.channel, operation.failure);
  end(std::move(operation));
}

void NcclLane::end(Operation operation) {
  if (operation.done) events_.push_back(std::move(*operation.done));
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back({operation.ticket, std::move(operation.failure)});
  }
  if (wake_) wake_();
}

void NcclLane::tell_opened(ChannelId channel, const std::string& failure) {
  {
    const std::lock_guard lock(mutex_);
    opened_.emplace_back(channel, failure);
  }
  if (wake_) wake_();
}

}  // namespace harness
