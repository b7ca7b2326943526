// The transfer of tensors from GPU to GPU in a live run: a rank's part and rank 0's.
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

/// The memory that each GPU has for tensors that arrive, in bytes.
inline constexpr std::uint64_t kArrivalRoomBytes = std::uint64_t{256} << 20;

/// The module and the GPU that make or need a tensor.
struct TensorPlace {
  ModuleId module = 0;
  std::uint32_t gpu = kNone;  ///< kNone: not known yet
};

/// A rank's part in bringing tensors from GPU to GPU: the exchanges of its GPUs. Each pair of modules has one
/// channel, which rank 0 opens before the load starts (TensorChannels below). Tensors for which there is no
/// channel or no memory go by message. Used by the loop's thread.
class GpuTransfers {
 public:
  /// `exchanges` belong to the GPUs from `first_gpu` on. `send` sends diverted tensors as messages, and
  /// `events` hears of tensors that arrive. All arguments outlive this object.
  GpuTransfers(DeviceExchanges& exchanges, std::uint32_t first_gpu, MessageWriter& out,
               MessageCarrier::SendBytes send, TransferEvents& events);
  /// Ends the lanes, since they read and write tensors.
  ~GpuTransfers();
  GpuTransfers(const GpuTransfers&) = delete;
  GpuTransfers& operator=(const GpuTransfers&) = delete;

  /// Sends the first `bytes` of the tensor `whole`, which a visit of `from` has left behind in the host's
  /// memory, if a channel joins the two GPUs and the first of them is here and has room for it. Returns false
  /// otherwise.
  bool carry(TransferId id, const StoredTensor& whole, const TensorPlace& from, const TensorPlace& to,
             std::uint64_t bytes);
  /// Handles a message about channels or transfers; returns false if it is another. Throws DeviceError.
  bool take(int from, MessageReader& message);
  /// Handles what has ended in the lanes; returns false if nothing has.
  bool poll();

  /// True if the tensors of that store are in a GPU's memory.
  bool has(const TensorStore& store) const;
  /// True if no transfer is offered or under way.
  bool is_quiet() const;
  /// Returns the failures in the lanes, one line for each GPU that had some; those tensors went by message.
  std::vector<std::string> notes() const;
  /// Returns the number of tensors that go or came by the lanes and are still referred to.
  std::size_t count() const;

 private:
  struct Gpu {
    Gpu(DeviceExchange& exchange, WorkerId self, GpuTransfers& all, MessageWriter& out,
        const MessageCarrier::SendBytes& send, TransferEvents& events);
    /// Returns "GPU 3", by the GPU's number in the cluster.
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
  bool ended_ = false;  ///< true if something has ended since poll() began
};

// Rank 0's part in bringing tensors from GPU to GPU: it opens the channels, and decides on the one order of
// the transfers.

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
  std::map<ChannelId, Channel> joining_;  ///< channels that are not open yet
};

}  // namespace harness
