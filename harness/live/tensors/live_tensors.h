// The tensors of one rank in a live run: the outputs of its batches, until rank 0 says that nobody needs them
// any more, and the inputs that its visits need, from here or from the rank that keeps them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "harness/gpu/exchange/message_carrier.h"
#include "harness/gpu/exchange/stored_tensor.h"
#include "harness/gpu/exchange/tensor_carrier.h"
#include "harness/gpu/exchange/tensor_memory.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/tensors/gpu_transfers.h"
#include "harness/live/tensors/tensor_key.h"
#include "harness/live/tensors/tensors.h"

namespace harness {

/// The tensors that a rank keeps and needs. A tensor that is needed here has a number (a TransferId, 0: none)
/// from put() or fetch() until drop(). A message that comes twice, or answers nobody, is ignored; a lost one
/// is made good by ask_again(). A tensor that is not kept at the rank that should have it comes as zeros:
/// that happens only to visits for which nobody waits. Used by the loop's thread.
class LiveTensors final : private TransferEvents {
 public:
  /// Numbers of bytes of the tensors that came to a rank's visits, by the way they took.
  struct Bytes {
    std::uint64_t by_handle = 0;   ///< bytes of tensors kept by this rank
    std::uint64_t by_message = 0;  ///< bytes that came from another rank by message
    std::uint64_t by_device = 0;   ///< bytes that came from another rank, from GPU to GPU
  };

  /// `exchanges` belong to the GPUs from `first_gpu` on, which exchange tensors by themselves if they can;
  /// may be null. All arguments outlive this object.
  LiveTensors(const Pipeline& pipeline, std::uint64_t seed, int rank, MessageWriter& out,
              DeviceExchanges* exchanges = nullptr, std::uint32_t first_gpu = 0);
  LiveTensors(const LiveTensors&) = delete;
  LiveTensors& operator=(const LiveTensors&) = delete;

  /// Keeps the tensor that an ended visit leaves behind for the modules that follow: `output`, in the host's
  /// memory, or its substitute (Tensors::output()) if `output` is empty. `made` tells the module and GPU of
  /// the visit.
  void keep(const TensorKey& key, const TensorPlace& made, StoredTensor output = {});
  /// Keeps the tensor that the client has sent.
  void keep_input(RequestId request, StoredTensor tensor);
  /// Stops keeping a tensor, which nobody needs any more. Returns false if it is not kept.
  bool release(const TensorKey& key);

  /// Return the tensor that the client has sent: a copy of the bytes that came with the visit, or the rank's
  /// own tensor, shared.
  StoredTensor copy_of(std::span<const std::byte> bytes);
  StoredTensor own_input(ModuleId entry, RequestId request) { return tensors_.input(entry, request); }
  /// Gives a number to a tensor that is here.
  TransferId put(StoredTensor tensor);
  /// Asks for the first `bytes` of a tensor that rank `rank` keeps, and returns the number under which they
  /// come.
  TransferId fetch(const TensorKey& key, int rank, std::size_t bytes, const TensorPlace& to);
  /// True if the tensor is here.
  bool is_here(TransferId id) const { return inputs_.at(id).store != nullptr; }
  /// Returns a tensor that is here: exactly the bytes asked for, which stay as long as the owner does.
  const StoredTensor& at(TransferId id) const;
  /// True if the tensor is in the memory of the GPU that needs it, not in the host's.
  bool is_on_device(TransferId id) const { return transfers_ && transfers_->has(*inputs_.at(id).store); }
  /// Asks once more for the tensor if it is not here yet, this time not from GPU to GPU.
  void ask_again(TransferId id);
  void drop(TransferId id);

  /// Handles a message about tensors other than kRelease; returns false if it is another.
  bool take(int from, Message& message);
  /// Handles what has come from GPU to GPU; returns false if nothing has.
  bool poll() { return transfers_ && transfers_->poll(); }
  /// True if no GPU is sending or receiving.
  bool is_quiet() const { return !transfers_ || transfers_->is_quiet(); }

  const Bytes& bytes() const { return bytes_; }
  /// Returns GpuTransfers::notes().
  std::vector<std::string> notes() const {
    return transfers_ ? transfers_->notes() : std::vector<std::string>();
  }
  /// Returns the number of tensors that are here, kept or needed.
  std::size_t count() const {
    return store_.tensors() + by_message_.arrivals().tensors() + (transfers_ ? transfers_->count() : 0);
  }

 private:
  struct Input {
    TensorKey key;
    int rank = 0;
    std::size_t bytes = 0;
    TensorPlace to;
    TensorStore* store = nullptr;  ///< store that holds the tensor; null: it is not here yet
    TensorHandle handle = kNoTensor;
  };

  void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) override;
  /// Makes the input zeros, since it is kept nowhere any more.
  void on_gone(TransferId id);
  /// Returns uninitialised memory of the host. Throws EnvironmentError if there is too little.
  StoredTensor allocate(std::size_t bytes);
  void ask(TransferId id, const Input& input);
  void send(std::span<const std::byte> tensor);
  void take_fetch(int from, const FetchMessage& fetch);
  /// Returns a reference to the first bytes of a tensor that is kept here, or kNoTensor.
  TensorHandle first_bytes(const TensorKey& key, std::size_t bytes);
  TransferId next_id() { return TransferId{static_cast<std::uint32_t>(rank_)} << kRankShift | ++asked_; }

  static constexpr int kRankShift = 40;  ///< number of low bits of a TransferId that count; the bits above
                                         ///< are the rank that asks

  int rank_;
  MessageWriter& out_;
  Tensors tensors_;
  HostTensorMemory memory_;
  TensorStore store_;
  struct Kept {
    TensorHandle handle = kNoTensor;
    TensorPlace made;
  };
  std::map<TensorKey, Kept> kept_;
  std::map<TransferId, Input> inputs_;
  std::uint64_t asked_ = 0;
  HandleCarrier by_handle_;
  MessageCarrier by_message_;
  std::optional<GpuTransfers> transfers_;
  Bytes bytes_;
};

}  // namespace harness
