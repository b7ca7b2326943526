// Rank 0's part in bringing tensors from GPU to GPU: opens the channels, and decides in which one order the
// transfers go.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/gpu/exchange/transfer_sequencer.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/messages.h"
#include "harness/serving/plan.h"

namespace harness {

/// A channel for each pair of modules of which one sends the other tensors, with the GPUs that the plan gives
/// both, where these are on several ranks. GPUs that get workers of the modules later do without. Used by the
/// loop's thread.
class ExchangeDesk {
 public:
  /// `plan` is the one with which the cell starts. Everything outlives this.
  ExchangeDesk(const RunSpec& spec, const Layout& layout, const Plan& plan, MessageWriter& out);

  /// Asks the ranks to open the channels.
  void open();
  /// Whether all of them are open.
  bool is_open() const { return joining_.empty(); }
  /// A message about channels, or from a GPU's exchange; false when it is another. Throws CellFailed when a
  /// channel cannot be opened.
  bool take(MessageReader& message);

 private:
  struct Channel {
    ChannelMessage message;
    std::set<std::uint32_t> missing;  ///< members that have not joined yet
  };

  void add_channel(ModuleId from, ModuleId to, const std::vector<std::vector<std::uint32_t>>& gpus);
  void take_joined(const ChannelMessage& joined, MessageReader& message);
  int rank_of(std::uint32_t gpu) const { return layout_.rank_of(static_cast<int>(gpu)); }

  const RunSpec& spec_;
  const Layout& layout_;
  MessageWriter& out_;
  TransferSequencer sequencer_;
  std::map<ChannelId, Channel> joining_;  ///< not open yet
};

}  // namespace harness
