#include "harness/gpu/exchange/message_carrier.h"

#include <cstring>
#include <string>
#include <utility>

#include "harness/core/environment_error.h"

namespace harness {

MessageCarrier::MessageCarrier(TensorStore& tensors, TensorMemory& memory, SendBytes send,
                               TransferEvents& events)
    : tensors_(tensors), memory_(memory), send_(std::move(send)), events_(events) {}

void MessageCarrier::carry(const Transfer& transfer) {
  const StoredTensor tensor = tensors_.take(transfer.source);
  buffer_.resize(sizeof transfer + tensor.bytes);
  std::memcpy(buffer_.data(), &transfer, sizeof transfer);
  memory_.copy_to_host(tensor, std::span(buffer_).subspan(sizeof transfer));
  send_(transfer.to, buffer_);
}

void MessageCarrier::on_message(std::span<const std::byte> message) {
  Transfer transfer;
  if (message.size() < sizeof transfer) throw EnvironmentError("a tensor's message is cut");
  std::memcpy(&transfer, message.data(), sizeof transfer);
  const std::span<const std::byte> bytes = message.subspan(sizeof transfer);
  if (bytes.size() != transfer.bytes) throw EnvironmentError("a tensor's message is cut");
  StoredTensor tensor = memory_.allocate(bytes.size());
  if (tensor.owner == nullptr)
    throw EnvironmentError("no memory for a tensor of " + std::to_string(bytes.size()) +
                           " bytes that came by message");
  memory_.copy_from_host(bytes, tensor);
  const TensorHandle handle = arrivals_.put(std::move(tensor));
  events_.on_arrived(transfer, arrivals_, handle);
}

}  // namespace harness
