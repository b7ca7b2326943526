// The tensors of a worker, by handle: a batch's outputs, kept until the next modules have taken them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// Bytes in host or device memory, and the object that keeps them alive (a LibTorch tensor, a buffer of a
/// pool).
struct StoredTensor {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<void> owner;

  std::span<std::byte> span() const { return {data, bytes}; }
};

/// The memory that arriving tensors are put into. It is used by one thread. If it is a device's memory,
/// copy_to_host() and copy_from_host() block the caller.
class TensorMemory {
 public:
  virtual ~TensorMemory() = default;
  /// Returns uninitialised memory; its `owner` is empty if no memory is left.
  virtual StoredTensor allocate(std::size_t bytes) = 0;
  /// Copies between a tensor of this memory and the host's memory; both have the same size.
  virtual void copy_to_host(const StoredTensor& from, std::span<std::byte> to) = 0;
  virtual void copy_from_host(std::span<const std::byte> from, const StoredTensor& to) = 0;
  /// Returns a copy of a tensor's first `bytes`; the tensor is in the host's memory. The copy is for the lane
  /// of this memory's device, which waits for it; the call itself does not wait. Its `owner` is empty if no
  /// memory is left.
  virtual StoredTensor copy_for_lane(const StoredTensor& from, std::size_t bytes) = 0;
};

/// The host's own memory.
class HostTensorMemory final : public TensorMemory {
 public:
  StoredTensor allocate(std::size_t bytes) override;
  void copy_to_host(const StoredTensor& from, std::span<std::byte> to) override;
  void copy_from_host(std::span<const std::byte> from, const StoredTensor& to) override;
  StoredTensor copy_for_lane(const StoredTensor& from, std::size_t bytes) override;
};

/// Counts the references to each tensor, and lets go of it with the last one. Using a handle that does not,
/// or no longer, stand for a tensor is a bug. The store is used by one thread: a tensor that a device still
/// reads must not be dropped before the batch has ended.
class TensorStore {
 public:
  /// Holds at most `budget_bytes`. `freed` is called with the size of each tensor that has left the store.
  explicit TensorStore(std::size_t budget_bytes = std::numeric_limits<std::size_t>::max(),
                       std::function<void(std::size_t bytes)> freed = {});
  TensorStore(const TensorStore&) = delete;
  TensorStore& operator=(const TensorStore&) = delete;

  /// Keeps the tensor with this number of references. If it exceeds the budget, keeps nothing and returns
  /// kNoTensor.
  TensorHandle put(StoredTensor tensor, std::uint32_t references = 1);
  /// Adds references, one for each further branch that will take the tensor.
  void share(TensorHandle handle, std::uint32_t more = 1);
  /// Returns the tensor, which stays while the caller keeps a reference.
  const StoredTensor& at(TensorHandle handle) const;
  /// Returns the tensor in exchange for a reference; its memory stays as long as the returned owner does.
  StoredTensor take(TensorHandle handle);
  /// Gives up a reference.
  void drop(TensorHandle handle);

  std::size_t tensors() const { return slots_.size() - free_slots_.size(); }
  std::size_t used_bytes() const { return used_bytes_; }

 private:
  struct Slot {
    StoredTensor tensor;
    std::uint32_t references = 0;
    std::uint32_t generation = 0;
  };
  std::uint32_t slot_of(TensorHandle handle) const;

  std::size_t budget_bytes_;
  std::function<void(std::size_t)> freed_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t used_bytes_ = 0;
};

// Ways in which a tensor gets from the worker that made it to the one that needs it.
//
//   both workers on this rank          HandleCarrier: the handle is passed on
//   both members of an open channel    ExchangeCarrier: from device to device, by NCCL
//   otherwise                          MessageCarrier: through host memory, by the run's transport
//
// If an exchange cannot carry a tensor (kDiverted), it passes it on to the MessageCarrier that it was made
// with.

/// The receiver of tensors at a worker.
class TransferEvents {
 public:
  virtual ~TransferEvents() = default;
  /// Called when the tensor is here: the callee gets one reference to `handle` in `store`.
  virtual void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) = 0;
};

/// Carries tensors. Takes over the sender's reference to `transfer.source`, and drops it when the tensor need
/// not be kept.
class TensorCarrier {
 public:
  virtual ~TensorCarrier() = default;
  virtual void carry(const Transfer& transfer) = 0;
};

/// Carries tensors between workers of one rank that share a store.
class HandleCarrier final : public TensorCarrier {
 public:
  HandleCarrier(TensorStore& tensors, TransferEvents& receiver) : tensors_(tensors), receiver_(receiver) {}
  void carry(const Transfer& transfer) override { receiver_.on_arrived(transfer, tensors_, transfer.source); }

 private:
  TensorStore& tensors_;
  TransferEvents& receiver_;
};

/// Carries tensors through host memory, each in one message: at most as large as the transport's largest
/// (kLargestMessage). Copies from and to a device block the caller: this is the fallback.
class MessageCarrier final : public TensorCarrier {
 public:
  /// Sends bytes to the rank that has the worker; there they are given to on_message().
  using SendBytes = std::function<void(WorkerId to, std::span<const std::byte> message)>;

  /// Makes the carrier of a worker: its tensors are in `tensors`, all of them in `memory`; `events` is told
  /// of arrivals.
  MessageCarrier(TensorStore& tensors, TensorMemory& memory, SendBytes send, TransferEvents& events);

  void carry(const Transfer& transfer) override;
  /// Takes a message. Throws EnvironmentError if it is cut, or if there is no memory for its tensor.
  void on_message(std::span<const std::byte> message);
  /// Returns the tensors that have arrived and are still referred to.
  const TensorStore& arrivals() const { return arrivals_; }

 private:
  TensorStore& tensors_;
  TensorMemory& memory_;
  SendBytes send_;
  TransferEvents& events_;
  TensorStore arrivals_;
  std::vector<std::byte> buffer_;
};

}  // namespace harness
