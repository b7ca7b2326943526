// Ways in which a tensor gets from the worker that made it to the one that needs it (design, section 6).
//
//   both workers on this rank          HandleCarrier: the handle is passed on
//   both members of an open channel    ExchangeCarrier: from device to device, by NCCL
//   otherwise                          MessageCarrier: through host memory, by the run's transport
//
// An exchange hands on what it could not carry (kDiverted) to the MessageCarrier that it was made with.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "harness/gpu/tensor_store.h"
#include "harness/gpu/transfer.h"

namespace harness {

/// Who waits for tensors at a worker.
class TransferEvents {
 public:
  virtual ~TransferEvents() = default;
  /// The tensor is here: one reference to `handle` in `store` is the callee's.
  virtual void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) = 0;
};

/// Takes over the sender's reference to `transfer.source`, and drops it when the tensor need not be kept.
class TensorCarrier {
 public:
  virtual ~TensorCarrier() = default;
  virtual void carry(const Transfer& transfer) = 0;
};

/// Between workers of one rank that share a store.
class HandleCarrier final : public TensorCarrier {
 public:
  HandleCarrier(TensorStore& tensors, TransferEvents& receiver) : tensors_(tensors), receiver_(receiver) {}
  void carry(const Transfer& transfer) override { receiver_.on_arrived(transfer, tensors_, transfer.source); }

 private:
  TensorStore& tensors_;
  TransferEvents& receiver_;
};

/// Through host memory, in one message: at most as large as the transport's largest (kLargestMessage).
/// Copies from and to a device block the caller; it is the fallback.
class MessageCarrier final : public TensorCarrier {
 public:
  /// Sends bytes to the rank that has the worker; there they are given to on_message().
  using SendBytes = std::function<void(WorkerId to, std::span<const std::byte> message)>;

  /// `tensors`: of the worker, all in `memory`; `events`: told of what arrives.
  MessageCarrier(TensorStore& tensors, TensorMemory& memory, SendBytes send, TransferEvents& events);

  void carry(const Transfer& transfer) override;
  /// Throws EnvironmentError for a message that is cut, or that finds no memory.
  void on_message(std::span<const std::byte> message);
  /// What has arrived and is still referred to.
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
