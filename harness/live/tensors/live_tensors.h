// The tensors of one rank in a live run: those that its batches leave behind, until rank 0 says that nobody
// needs them any more, and those that its visits need, from here or from the rank that keeps them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/gpu/exchange/tensor_store.h"
#include "harness/live/protocol/messages.h"
#include "harness/live/tensors/gpu_transfers.h"
#include "harness/live/tensors/tensors.h"

namespace harness {

/// Bytes of tensors that came to a rank's visits, by the way they took.
struct TensorBytes {
  std::uint64_t by_handle = 0;   ///< kept by this rank
  std::uint64_t by_message = 0;  ///< by another
  std::uint64_t by_device = 0;   ///< by another, from GPU to GPU
};

/// A tensor that is needed here has a number (a TransferId, 0: none) from put() or fetch() until drop(). A
/// message that comes twice, or answers nobody, is ignored; one that is lost is made good by ask_again().
/// What is not kept where it should be comes as zeros: that happens to visits alone for which nobody waits.
/// Used by the loop's thread.
class LiveTensors final : private TransferEvents {
 public:
  /// `exchanges`: of the GPUs from `first_gpu` on, which exchange tensors by themselves where they can; may
  /// be null. Everything outlives this.
  LiveTensors(const Pipeline& pipeline, std::uint64_t seed, int rank, MessageWriter& out,
              DeviceExchanges* exchanges = nullptr, std::uint32_t first_gpu = 0);
  LiveTensors(const LiveTensors&) = delete;
  LiveTensors& operator=(const LiveTensors&) = delete;

  /// A visit has ended there: keeps what it leaves behind for the modules that follow, `output` in the host's
  /// memory, or, where that is none, what stands for it.
  void keep(const TensorKey& key, const TensorPlace& made, StoredTensor output = {});
  /// Keeps what the client has sent.
  void keep_input(RequestId request, StoredTensor tensor);
  /// Nobody needs it any more. False when it is not kept.
  bool release(const TensorKey& key);

  /// What the client has sent: a copy of what has come with the visit, or the rank's own, shared.
  StoredTensor copy_of(std::span<const std::byte> bytes);
  StoredTensor own_input(ModuleId entry, RequestId request) { return tensors_.input(entry, request); }
  /// One that is here.
  TransferId put(StoredTensor tensor);
  /// The first `bytes` of what rank `rank` keeps.
  TransferId fetch(const TensorKey& key, int rank, std::size_t bytes, const TensorPlace& to);
  /// Whether it is here.
  bool is_here(TransferId id) const { return inputs_.at(id).store != nullptr; }
  /// One that is here: exactly the bytes asked for, which stay as long as the owner does.
  const StoredTensor& at(TransferId id) const;
  /// Whether it is in the memory of the GPU that needs it, not in the host's.
  bool is_on_device(TransferId id) const { return transfers_ && transfers_->has(*inputs_.at(id).store); }
  /// Asks once more for one that is not here yet.
  void ask_again(TransferId id);
  void drop(TransferId id);

  /// A message about tensors, but kRelease; false when it is another.
  bool take(int from, MessageReader& message);
  /// Handles what has come from GPU to GPU; false when nothing has.
  bool poll() { return transfers_ && transfers_->poll(); }
  /// Whether no GPU is sending or receiving.
  bool is_quiet() const { return !transfers_ || transfers_->is_quiet(); }

  const TensorBytes& bytes() const { return bytes_; }
  /// As GpuTransfers::notes().
  std::vector<std::string> notes() const {
    return transfers_ ? transfers_->notes() : std::vector<std::string>();
  }
  /// Tensors that stand here, kept or needed.
  std::size_t count() const {
    return store_.tensors() + by_message_.arrivals().tensors() + (transfers_ ? transfers_->count() : 0);
  }

 private:
  struct Input {
    TensorKey key;
    int rank = 0;
    std::size_t bytes = 0;
    TensorPlace to;
    TensorStore* store = nullptr;  ///< null: not here yet
    TensorHandle handle = kNoTensor;
  };

  void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) override;
  /// The input is kept nowhere any more: it is zeros.
  void on_gone(TransferId id);
  /// Uninitialised memory of the host. Throws EnvironmentError when there is none.
  StoredTensor allocate(std::size_t bytes);
  void ask(TransferId id, const Input& input);
  void send(std::span<const std::byte> tensor);
  void take_fetch(int from, const FetchMessage& fetch);
  /// A reference to the first bytes of a tensor that is kept here, or kNoTensor.
  TensorHandle first_bytes(const TensorKey& key, std::size_t bytes);
  TransferId next_id() { return TransferId{static_cast<std::uint32_t>(rank_)} << kRankShift | ++asked_; }

  static constexpr int kRankShift = 40;  ///< of a TransferId: above it stands the rank that asks

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
  TensorBytes bytes_;
};

}  // namespace harness
