// The way of tensors through host memory, which is always open.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "harness/gpu/exchange/tensor_carrier.h"
#include "harness/gpu/exchange/tensor_memory.h"
#include "harness/gpu/exchange/tensor_store.h"

namespace harness {

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
