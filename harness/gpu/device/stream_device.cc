#include "harness/gpu/device/stream_device.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/core/check.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

constexpr std::chrono::microseconds kPause{20};
/// The timer slack of the device's thread: the kernel's default of 50 us would double the pause.
constexpr unsigned long kTimerSlackNs = 1000;

/// Adds the time from its construction to its destruction to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<TimeNs>& total) : total_(total) {}
  ~Stopwatch() { total_.fetch_add(steady_ns() - start_ns_, std::memory_order_relaxed); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<TimeNs>& total_;
  TimeNs start_ns_ = steady_ns();
};

}  // namespace

StreamDevice::StreamDevice(std::string name, MakeEngine make, Wake wake)
    : front_end_(std::move(name), std::move(wake)) {
  std::exception_ptr failure;
  bool is_ready = false;
  thread_ = std::thread([&, make = std::move(make)] { work(make, failure, is_ready); });
  std::unique_lock lock(mutex_);
  answered_.wait(lock, [&] { return is_ready; });
  if (!failure) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(failure);
}

StreamDevice::~StreamDevice() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    has_commands_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

DeviceModel StreamDevice::load(const ModelSource& source) {
  front_end_.check(source);
  LoadRequest request{source, 0, nullptr, false};
  {
    std::unique_lock lock(mutex_);
    load_request_ = &request;
    has_commands_ = true;
    asked_.notify_one();
    answered_.wait(lock, [&] { return request.done; });
  }
  if (request.failure) std::rethrow_exception(request.failure);
  return front_end_.add(source, request.exit_points);
}

int StreamDevice::slot_to_prepare(DeviceModel model) const {
  int found = -1;
  for (int i = 0; i < static_cast<int>(kSlots); ++i) {
    const Slot& one = slots_[static_cast<std::size_t>(i)];
    if (one.used) continue;
    if (one.prepared == model) return i;
    if (!one.prepared) found = i;
  }
  return found;
}

int StreamDevice::slot_to_submit(DeviceModel model) const {
  const int prepared = slot_to_prepare(model);
  if (prepared >= 0) return prepared;
  const auto is_free = [](const Slot& one) { return !one.used; };
  return static_cast<int>(std::find_if(slots_.begin(), slots_.end(), is_free) - slots_.begin());
}

bool StreamDevice::post(const Command& command, std::size_t keep_free) {
  {
    const std::lock_guard lock(mutex_);
    if (command_count_ + keep_free >= kCommands) return false;
    commands_[(first_command_ + command_count_++) % kCommands] = command;
    has_commands_ = true;
  }
  asked_.notify_one();
  return true;
}

void StreamDevice::prepare(DeviceModel model, const Image& image) {
  const int number = slot_to_prepare(model);
  if (!copies_ahead_ || lost_ || model >= front_end_.models() || number < 0 || image.on_device) return;
  if (post({false, number, model, image}, kMaxOutstanding)) slot(number).prepared = model;
}

void StreamDevice::submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) {
  if (lost_) throw DeviceError(DeviceFault::kDeviceLost, front_end_.place(model, images.size()), "");
  front_end_.admit(tag, model, images);
  const int number = slot_to_submit(model);
  Slot& one = slot(number);
  one.used = true;
  one.prepared.reset();
  one.tag = tag;
  one.model = model;
  one.images.assign(images.begin(), images.end());
  one.submitted_ns = steady_ns();
  one.stop = false;
  HARNESS_CHECK(post({true, number, model, {}}, 0), "no room for a batch");
}

void StreamDevice::preempt(std::uint64_t tag) {
  for (Slot& one : slots_) {
    if (one.used && one.tag == tag) one.stop = true;
  }
}

bool StreamDevice::take(std::vector<BatchEnd>& ended) {
  const std::size_t before = ended.size();
  if (!front_end_.take(ended)) return false;
  for (std::size_t i = before; i < ended.size(); ++i) {
    for (Slot& one : slots_) {
      if (one.used && one.tag == ended[i].tag) one.used = false;
    }
  }
  return true;
}

StreamDevice::HostWork StreamDevice::host_work() const { return {batches_, copying_ns_, handling_ns_}; }

void StreamDevice::work(const MakeEngine& make, std::exception_ptr& failure, bool& is_ready) {
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  try {
    engine_ = make();
    copies_ahead_ = engine_->copies_ahead();
  } catch (...) {
    failure = std::current_exception();
  }
  const bool failed = failure != nullptr;
  {
    const std::lock_guard lock(mutex_);
    is_ready = true;
    answered_.notify_one();  // under the lock: is_ready lies on the constructor's stack
  }
  if (failed) return;
  drive();
  engine_.reset();
}

void StreamDevice::drive() {
  bool moved = true;
  while (take_commands(moved)) {
    moved = false;
    if (lost_) {
      lose_all();
      continue;
    }
    moved |= note_passed();
    moved |= enqueue_segments();
    moved |= copy_inputs();
    moved |= end_batches();
  }
}

bool StreamDevice::spins() const {
  const auto running = queue_.running();
  return running && front_end_.exit_points(slots_[static_cast<std::size_t>(running->slot)].model) > 0;
}

bool StreamDevice::take_commands(bool moved) {
  if (!has_commands_ && moved) return true;
  if (!has_commands_ && spins()) {
    std::this_thread::yield();
    return true;
  }
  std::unique_lock lock(mutex_);
  const auto is_asked = [this] {
    return closing_ || command_count_ > 0 || (load_request_ != nullptr && queue_.empty());
  };
  if (queue_.empty()) {
    if (!moved) asked_.wait(lock, is_asked);
  } else if (!moved) {
    asked_.wait_for(lock, kPause, is_asked);
  }
  while (!closing_ && command_count_ > 0) {
    const Command command = commands_[first_command_];
    first_command_ = (first_command_ + 1) % kCommands;
    --command_count_;
    lock.unlock();
    carry_out(command);
    lock.lock();
  }
  if (!closing_ && load_request_ != nullptr && queue_.empty()) {
    LoadRequest& request = *std::exchange(load_request_, nullptr);
    lock.unlock();
    load(request);
    lock.lock();
    request.done = true;
    answered_.notify_one();
  }
  has_commands_ = closing_;
  return !closing_;
}

void StreamDevice::load(LoadRequest& request) {
  const DevicePlace place = front_end_.place(request.source);
  activity_->begin(place, 0);
  try {
    if (lost_) throw DeviceError(DeviceFault::kDeviceLost, place, "");
    request.exit_points = engine_->load(request.source, place);
    memory_ = engine_->memory();
    notes_ = engine_->notes();
    places_.push_back(place);
  } catch (...) {
    const DeviceError error = caught_at(place);
    if (error.fault() == DeviceFault::kDeviceLost) lost_ = true;
    request.failure = std::make_exception_ptr(error);
  }
  activity_->end();
}

void StreamDevice::note_activity() {
  for (int number = 0; number < static_cast<int>(kSlots); ++number) {
    if (queue_.has(number)) return activity_->begin(places_[slot(number).model], slot(number).images.size());
  }
  activity_->end();
}

DevicePlace StreamDevice::place_of(const Slot& one) const {
  DevicePlace place = places_[one.model];
  place.batch = static_cast<int>(one.images.size());
  return place;
}

void StreamDevice::fail(int number) {
  Slot& one = slot(number);
  const bool is_batch = queue_.has(number);
  const DeviceError error = caught_at(is_batch ? place_of(one) : DevicePlace{});
  if (error.fault() == DeviceFault::kDeviceLost) lost_ = true;
  if (!is_batch) {  // the next batch begins with nothing prepared
    if (!lost_) engine_->release(number);
    return;
  }
  if (!one.failure) one.failure = error;
  queue_.stop(number);
}

template <typename Call>
bool StreamDevice::attempt(int number, const Call& call) {
  try {
    call();
    return true;
  } catch (...) {
    fail(number);
    return false;
  }
}

void StreamDevice::carry_out(const Command& command) {
  if (!command.submits) {
    if (!lost_) attempt(command.slot, [&] { engine_->prepare(command.slot, command.model, command.image); });
    return;
  }
  const Stopwatch watch(handling_ns_);
  Slot& one = slot(command.slot);
  one.failure.reset();
  one.is_copied = false;
  const bool was_idle = queue_.empty();
  queue_.add(command.slot, front_end_.exit_points(one.model) + 1);
  if (was_idle) note_activity();
  if (!lost_) attempt(command.slot, [&] { engine_->begin(command.slot, one.model, one.images); });
}

bool StreamDevice::copy_inputs() {
  const auto next = queue_.next();
  const int first = next ? next->slot : 0;  // slot that the device waits for, if it waits
  for (int i = 0; i < static_cast<int>(kSlots) && !lost_; ++i) {
    if (copy_piece((first + i) % static_cast<int>(kSlots))) return true;
  }
  return false;
}

bool StreamDevice::copy_piece(int number) {
  const bool is_batch = queue_.has(number);
  Slot& one = slot(number);
  if (is_batch && (one.is_copied || one.failure || one.stop)) return false;
  const TimeNs start_ns = steady_ns();
  bool more = false;
  if (!attempt(number, [&] { more = engine_->copy_some(number); })) return false;
  if (is_batch) one.is_copied = !more;
  if (more) copying_ns_.fetch_add(steady_ns() - start_ns, std::memory_order_relaxed);
  return is_batch || more;
}

bool StreamDevice::note_passed() {
  bool noted = false;
  while (const auto running = queue_.running()) {
    bool passed = false;
    const int number = running->slot;
    // A failed look means that the device is done with the segment, unless the device is lost.
    const bool looked = attempt(number, [&] { passed = engine_->passed(number, running->index); });
    if (lost_ || (looked && !passed)) break;
    queue_.passed();
    noted = true;
  }
  return noted;
}

bool StreamDevice::enqueue_segments() {
  bool enqueued = false;
  while (const auto next = queue_.next()) {
    Slot& one = slot(next->slot);
    if (lost_ || (!one.stop && !one.is_copied)) break;
    enqueued = true;
    if (one.stop) {
      queue_.stop(next->slot);
      continue;
    }
    const Stopwatch watch(handling_ns_);
    if (attempt(next->slot, [&] { engine_->enqueue(next->slot, next->index); })) queue_.enqueued();
    if (note_passed()) break;  // its batch may have ended: that is reported before another is begun
  }
  return enqueued;
}

bool StreamDevice::end_batches() {
  bool ended = false;
  while (!lost_) {
    const auto finished = queue_.finished();
    if (!finished) break;
    const Stopwatch watch(handling_ns_);
    end_batch(*finished);
    ended = true;
  }
  return ended;
}

void StreamDevice::end_batch(const SegmentQueue::Finished& finished) {
  Slot& one = slot(finished.slot);
  BatchEnd end;
  end.tag = one.tag;
  const TimeNs now_ns = steady_ns();
  DeviceSpan told{now_ns, now_ns};
  if (finished.enqueued > 0)
    attempt(finished.slot, [&] { told = engine_->span(finished.slot, finished.enqueued); });
  if (finished.whole && !one.failure)
    attempt(finished.slot, [&] { end.outputs = engine_->hand_out(finished.slot, one.tag); });
  if (lost_) return;  // lose_all() reports it
  const DeviceSpan span = possible_span(told, std::max(one.submitted_ns, last_end_ns_), steady_ns());
  end.started_ns = span.started_ns;
  end.ended_ns = last_end_ns_ = span.ended_ns;
  if (one.failure) {
    end.failure = one.failure->what();
    end.fault = one.failure->fault();
  } else {
    end.preempted = !finished.whole;
  }
  engine_->release(finished.slot);
  queue_.remove();
  note_activity();
  batches_.fetch_add(1, std::memory_order_relaxed);
  front_end_.push(std::move(end));
}

void StreamDevice::lose_all() {
  for (int number : queue_.drop_all()) {
    Slot& one = slot(number);
    BatchEnd end;
    end.tag = one.tag;
    end.started_ns = end.ended_ns = last_end_ns_ = std::max(last_end_ns_, steady_ns());
    const bool knows = one.failure && one.failure->fault() == DeviceFault::kDeviceLost;
    end.fault = DeviceFault::kDeviceLost;
    end.failure = knows ? one.failure->what() : DeviceError(end.fault, place_of(one), "").what();
    front_end_.push(std::move(end));
  }
  activity_->end();
}

}  // namespace harness
