// Rank 0's part in bringing tensors from GPU to GPU in a live run: it opens the channels, and decides on the
// one order of the transfers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/gpu/exchange/transfer_sequencer.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/serving/plan.h"

namespace harness {

/// Opens a channel for each pair of modules of which one sends the other tensors, among the GPUs that the
/// plan gives both, if these are on several ranks. GPUs that get workers of the modules later do without.
/// Used by the loop's thread.
class TensorChannels {
 public:
  /// `plan` is the plan with which the cell starts. All arguments outlive this object.
  TensorChannels(const RunSpec& spec, const Layout& layout, const Plan& plan, MessageWriter& out);

  /// Asks the ranks to open the channels.
  void open();
  /// True if all channels are open.
  bool is_open() const { return joining_.empty(); }
  /// Handles a message about channels, or from a GPU's exchange; returns false if it is another. Throws
  /// CellFailed if a channel cannot be opened.
  bool take(Message& message);

 private:
  struct Channel {
    ChannelMessage message;
    std::set<std::uint32_t> missing;  ///< members that have not joined yet
  };

  void add_channel(ModuleId from, ModuleId to, const std::vector<std::vector<std::uint32_t>>& gpus);
  void take_joined(const ChannelMessage& joined, Message& message);
  int rank_of(std::uint32_t gpu) const { return layout_.rank_of(static_cast<int>(gpu)); }

  const RunSpec& spec_;
  const Layout& layout_;
  MessageWriter& out_;
  TransferSequencer sequencer_;
  std::map<ChannelId, Channel> joining_;  ///< channels that are not open yet
};

}  // namespace harness
