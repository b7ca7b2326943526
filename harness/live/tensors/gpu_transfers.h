// A rank's part in bringing tensors from GPU to GPU in a live run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/exchange_carrier.h"
#include "harness/gpu/exchange/message_carrier.h"
#include "harness/gpu/exchange/stored_tensor.h"
#include "harness/gpu/exchange/tensor_carrier.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/tensors/tensor_key.h"

namespace harness {

/// The memory that each GPU has for tensors that arrive, in bytes.
inline constexpr std::uint64_t kArrivalRoomBytes = std::uint64_t{256} << 20;

/// A rank's part in bringing tensors from GPU to GPU: the exchanges of its GPUs. Each pair of modules has one
/// channel, which rank 0 opens before the load starts (TensorChannels). Tensors for which there is no
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
  bool take(int from, Message& message);
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

}  // namespace harness
