// A rank's part in bringing tensors from GPU to GPU: the exchanges of its GPUs at work in a live run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/tensor_exchange.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/transfer_sequencer.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/messages.h"
#include "harness/serving/plan.h"

namespace harness {

/// Bytes of memory that each GPU has for tensors that arrive.
inline constexpr std::uint64_t kArrivalRoomBytes = std::uint64_t{256} << 20;

/// Which module of which GPU makes or needs a tensor.
struct TensorPlace {
  ModuleId module = 0;
  std::uint32_t gpu = kNone;  ///< kNone: not known yet
};

/// One channel for each pair of modules, opened by rank 0 before the load starts (ExchangeDesk below). What
/// no channel or no memory is there for goes by message. Used by the loop's thread.
class GpuTransfers {
 public:
  /// `exchanges` are those of the GPUs from `first_gpu` on. `send` takes diverted tensors, `events` hears of
  /// what arrives. Everything outlives this.
  GpuTransfers(DeviceExchanges& exchanges, std::uint32_t first_gpu, MessageWriter& out,
               MessageCarrier::SendBytes send, TransferEvents& events);
  /// Ends the lanes, which read and write tensors.
  ~GpuTransfers();
  GpuTransfers(const GpuTransfers&) = delete;
  GpuTransfers& operator=(const GpuTransfers&) = delete;

  /// Sends the first `bytes` of what a visit of `from` has left behind in the host's memory, if a channel
  /// joins the two GPUs, of which the first is here and has room for it; false: else.
  bool carry(TransferId id, const StoredTensor& whole, const TensorPlace& from, const TensorPlace& to,
             std::uint64_t bytes);
  /// A message about channels or transfers; false when it is another. Throws DeviceError.
  bool take(int from, MessageReader& message);
  /// Handles what has ended in the lanes; false when nothing has.
  bool poll();

  /// Whether the tensors of that store are in a GPU's memory.
  bool has(const TensorStore& store) const;
  /// Transfers offered and not settled.
  bool is_quiet() const;
  /// What failed in the lanes, a line for each GPU; it went by message.
  std::vector<std::string> notes() const;
  /// Tensors that came by the lanes and are still referred to.
  std::size_t count() const;

 private:
  struct Gpu {
    Gpu(DeviceExchange& exchange, WorkerId self, GpuTransfers& all, MessageWriter& out,
        const MessageCarrier::SendBytes& send, TransferEvents& events);
    /// "GPU 3", as the cluster counts.
    std::string name() const { return "GPU " + std::to_string(number); }
    WorkerId number;
    DeviceExchange& exchange;
    TensorStore sources;
    MessageCarrier diverted;
    ExchangeCarrier carrier;
  };
  struct Channel {
    ChannelId id = 0;
    std::vector<WorkerId> members;
    bool has(std::uint32_t gpu) const;
  };

  void join(const ChannelMessage& message, std::span<const std::byte> id);
  Gpu& gpu(std::uint32_t number) { return gpus_[number - first_gpu_]; }
  bool is_here(std::uint32_t number) const {
    return number >= first_gpu_ && number - first_gpu_ < gpus_.size();
  }

  DeviceExchanges& exchanges_;
  std::uint32_t first_gpu_;
  MessageWriter& out_;
  std::deque<Gpu> gpus_;
  std::map<std::pair<ModuleId, ModuleId>, Channel> channels_;
  bool ended_ = false;  ///< something has since poll() began
};

// Rank 0's part in bringing tensors from GPU to GPU: opens the channels, and decides in which one order the
// transfers go.

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
