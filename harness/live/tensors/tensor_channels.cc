#include "harness/live/tensors/tensor_channels.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/cell_failed.h"
#include "harness/live/tensors/gpu_transfers.h"

namespace harness {
namespace {

/// Returns the GPUs of each module's workers, as GpuPlaces gives them out at the start.
std::vector<std::vector<std::uint32_t>> gpus_of(const Plan& plan, int gpus) {
  std::vector<std::vector<std::uint32_t>> of(plan.modules.size());
  std::uint32_t next = 0;
  for (std::size_t module = 0; module < of.size(); ++module) {
    for (int i = 0; i < plan.modules[module].workers && next < static_cast<std::uint32_t>(gpus); ++i)
      of[module].push_back(next++);
  }
  return of;
}

}  // namespace

TensorChannels::TensorChannels(const RunSpec& spec, const Layout& layout, const Plan& plan,
                               MessageWriter& out)
    : spec_(spec), layout_(layout), out_(out) {
  for (std::uint32_t gpu = 0; gpu < static_cast<std::uint32_t>(spec.workers); ++gpu)
    sequencer_.add_worker(gpu, kArrivalRoomBytes);
  const std::vector<std::vector<std::uint32_t>> gpus = gpus_of(plan, spec.workers);
  for (ModuleId from = 0; from < gpus.size(); ++from) {
    for (const ModuleId to : spec.pipeline.modules[from].subs) add_channel(from, to, gpus);
  }
}

void TensorChannels::add_channel(ModuleId from, ModuleId to,
                                 const std::vector<std::vector<std::uint32_t>>& gpus) {
  const Module& needs = spec_.pipeline.modules[to];
  if (needs.input_bytes == 0 || needs.pres.empty()) return;
  std::vector<std::uint32_t> members = gpus[from];
  members.insert(members.end(), gpus[to].begin(), gpus[to].end());
  if (members.empty() || members.size() > kMaxMembers) return;
  if (rank_of(members.front()) == rank_of(members.back())) return;  // by handle: places rise with modules
  Channel channel;
  channel.message.channel = static_cast<ChannelId>(joining_.size() + 1);
  channel.message.from = from;
  channel.message.to = to;
  channel.message.members = static_cast<std::uint32_t>(members.size());
  std::copy(members.begin(), members.end(), channel.message.gpus);
  channel.missing = {members.begin(), members.end()};
  joining_.emplace(channel.message.channel, std::move(channel));
}

void TensorChannels::open() {
  for (const auto& [id, channel] : joining_)
    out_.send(rank_of(channel.message.gpus[0]), MessageKind::kMakeChannel, channel.message);
}

bool TensorChannels::take(Message& message) {
  switch (message.kind()) {
    case MessageKind::kTransfer:
      sequencer_.on_message(message.read<ExchangeMessage>(), [this](const ExchangeMessage& answer) {
        out_.send(rank_of(answer.worker), MessageKind::kTransfer, answer);
      });
      return true;
    case MessageKind::kChannelId: {
      const auto channel = message.read<ChannelMessage>();
      std::set<int> ranks;
      for (std::uint32_t i = 0; i < channel.members; ++i) ranks.insert(rank_of(channel.gpus[i]));
      for (const int rank : ranks) out_.send(rank, MessageKind::kJoinChannel, channel, message.rest());
      return true;
    }
    case MessageKind::kChannelJoined: {
      const auto joined = message.read<ChannelMessage>();
      take_joined(joined, message);
      return true;
    }
    default:
      return false;
  }
}

void TensorChannels::take_joined(const ChannelMessage& joined, Message& message) {
  const auto found = joining_.find(joined.channel);
  if (found == joining_.end()) return;  // the channel is open or unknown
  const ChannelMessage& channel = found->second.message;
  if (!message.rest().empty()) {
    const std::string why(reinterpret_cast<const char*>(message.rest().data()), message.rest().size());
    throw CellFailed("gpu.exchange = nccl: modules " + spec_.pipeline.modules[channel.from].name + " and " +
                     spec_.pipeline.modules[channel.to].name + " cannot exchange tensors: " + why +
                     " (gpu.exchange = messages does without)");
  }
  found->second.missing.erase(joined.gpu);
  if (!found->second.missing.empty()) return;
  sequencer_.open_channel(joined.channel, {channel.gpus, channel.gpus + channel.members});
  joining_.erase(found);
}

}  // namespace harness
