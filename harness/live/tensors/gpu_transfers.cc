#include "harness/live/tensors/gpu_transfers.h"

#include <algorithm>
#include <string>

#include "harness/core/environment_error.h"
#include "harness/core/wording.h"

namespace harness {

GpuTransfers::Gpu::Gpu(DeviceExchange& own, WorkerId self, GpuTransfers& all, MessageWriter& out,
                       const MessageCarrier::SendBytes& send, TransferEvents& events)
    : number(self),
      exchange(own),
      diverted(sources, *own.memory, send, events),
      carrier(self, {.tensors = &sources,
                     .memory = own.memory.get(),
                     .lane = own.lane.get(),
                     .messages = &diverted,
                     .events = &events,
                     .send =
                         [&all, &out](const ExchangeMessage& message) {
                           all.ended_ = true;
                           out.send(0, MessageKind::kTransfer, message);
                         },
                     .room_bytes = kArrivalRoomBytes}) {}

GpuTransfers::GpuTransfers(DeviceExchanges& exchanges, std::uint32_t first_gpu, MessageWriter& out,
                           MessageCarrier::SendBytes send, TransferEvents& events)
    : exchanges_(exchanges), first_gpu_(first_gpu), out_(out) {
  for (DeviceExchange& own : exchanges.gpus)
    gpus_.emplace_back(own, first_gpu + static_cast<WorkerId>(gpus_.size()), *this, out, send, events);
}

GpuTransfers::~GpuTransfers() {
  for (Gpu& one : gpus_) one.exchange.lane.reset();
}

bool GpuTransfers::Channel::has(std::uint32_t gpu) const {
  return std::find(members.begin(), members.end(), gpu) != members.end();
}

bool GpuTransfers::carry(TransferId id, const StoredTensor& whole, const TensorPlace& from,
                         const TensorPlace& to, std::uint64_t bytes) {
  const auto found = channels_.find({from.module, to.module});
  if (found == channels_.end() || !is_here(from.gpu) || whole.bytes < bytes) return false;
  const Channel& channel = found->second;
  if (from.gpu == to.gpu || !channel.has(from.gpu) || !channel.has(to.gpu)) return false;
  Gpu& own = gpu(from.gpu);
  StoredTensor copy = own.exchange.memory->copy_for_lane(whole, bytes);
  if (copy.owner == nullptr) return false;
  const TensorHandle source = own.sources.put(std::move(copy));
  own.carrier.carry(
      {.id = id, .source = source, .bytes = bytes, .from = from.gpu, .to = to.gpu, .channel = channel.id});
  return true;
}

bool GpuTransfers::take(int, Message& message) {
  switch (message.kind()) {
    case MessageKind::kTransfer: {
      const auto transfer = message.read<ExchangeMessage>();
      if (is_here(transfer.worker)) gpu(transfer.worker).carrier.on_message(transfer);
      return true;
    }
    case MessageKind::kMakeChannel: {
      const std::vector<std::byte> id = exchanges_.make_channel_id();
      out_.send(0, MessageKind::kChannelId, message.read<ChannelMessage>(), std::span<const std::byte>(id));
      return true;
    }
    case MessageKind::kJoinChannel: {
      const auto channel = message.read<ChannelMessage>();
      join(channel, message.rest());
      return true;
    }
    default:
      return false;
  }
}

void GpuTransfers::join(const ChannelMessage& message, std::span<const std::byte> id) {
  if (message.members > kMaxMembers) throw EnvironmentError("a message between ranks is cut");
  Channel& channel = channels_[{message.from, message.to}];
  channel = {message.channel, {message.gpus, message.gpus + message.members}};
  for (const WorkerId member : channel.members) {
    if (!is_here(member)) continue;
    gpu(member).exchange.lane->open(channel.id, id, channel.members);
  }
}

std::vector<std::string> GpuTransfers::notes() const {
  std::vector<std::string> notes;
  for (const Gpu& one : gpus_) {
    const std::vector<std::string>& failures = one.carrier.failures();
    if (!failures.empty())
      notes.push_back(one.name() + ": " + counted(failures.size(), "exchange") +
                      " of tensors failed, the first: " + failures.front());
  }
  return notes;
}

bool GpuTransfers::poll() {
  ended_ = false;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    gpus_[i].carrier.poll();
    for (const auto& [channel, failure] : gpus_[i].exchange.lane->opened()) {
      ChannelMessage joined;
      joined.channel = channel;
      joined.gpu = first_gpu_ + static_cast<std::uint32_t>(i);
      out_.send(0, MessageKind::kChannelJoined, joined, std::span(failure.data(), failure.size()));
      ended_ = true;
    }
  }
  return ended_;
}

bool GpuTransfers::has(const TensorStore& store) const {
  return std::any_of(gpus_.begin(), gpus_.end(),
                     [&store](const Gpu& one) { return &one.carrier.arrivals() == &store; });
}

bool GpuTransfers::is_quiet() const {
  return std::all_of(gpus_.begin(), gpus_.end(), [](const Gpu& one) {
    return one.sources.tensors() == 0 && one.carrier.enqueued() == 0;
  });
}

std::size_t GpuTransfers::count() const {
  std::size_t tensors = 0;
  for (const Gpu& one : gpus_) tensors += one.sources.tensors() + one.carrier.arrivals().tensors();
  return tensors;
}

}  // namespace harness
