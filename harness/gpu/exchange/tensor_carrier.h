// Ways in which a tensor gets from the worker that made it to the one that needs it.
//
//   both workers on this rank          HandleCarrier: the handle is passed on
//   both members of an open channel    ExchangeCarrier: from device to device, by NCCL
//   otherwise                          MessageCarrier: through host memory, by the run's transport
//
// If an exchange cannot carry a tensor (kDiverted), it passes it on to the MessageCarrier that it was made
// with.
#pragma once

#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// Carries tensors. Takes over the sender's reference to `transfer.source`, and drops it when the tensor need
/// not be kept.
class TensorCarrier {
 public:
  virtual ~TensorCarrier() = default;
  virtual void carry(const Transfer& transfer) = 0;
};

/// The receiver of tensors at a worker.
class TransferEvents {
 public:
  virtual ~TransferEvents() = default;
  /// Called when the tensor is here: the callee gets one reference to `handle` in `store`.
  virtual void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) = 0;
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

}  // namespace harness
