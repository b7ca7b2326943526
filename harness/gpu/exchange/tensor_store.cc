#include "harness/gpu/exchange/tensor_store.h"

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "harness/core/error.h"

namespace harness {

StoredTensor HostTensorMemory::allocate(std::size_t bytes) {
  std::shared_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  std::byte* const data = memory.get();
  return {data, bytes, std::move(memory)};
}

void HostTensorMemory::copy_to_host(const StoredTensor& from, std::span<std::byte> to) {
  HARNESS_CHECK(from.bytes == to.size(), "a tensor is copied to a buffer of another size");
  if (!to.empty()) std::memcpy(to.data(), from.data, to.size());
}

StoredTensor HostTensorMemory::copy_for_lane(const StoredTensor& from, std::size_t bytes) {
  StoredTensor copy = allocate(bytes);
  if (copy.owner != nullptr) copy_from_host(from.span().first(bytes), copy);
  return copy;
}

void HostTensorMemory::copy_from_host(std::span<const std::byte> from, const StoredTensor& to) {
  HARNESS_CHECK(from.size() == to.bytes, "a tensor is copied from a buffer of another size");
  if (!from.empty()) std::memcpy(to.data, from.data(), from.size());
}

TensorStore::TensorStore(std::size_t budget_bytes, std::function<void(std::size_t)> freed)
    : budget_bytes_(budget_bytes), freed_(std::move(freed)) {}

TensorHandle TensorStore::put(StoredTensor tensor, std::uint32_t references) {
  HARNESS_CHECK(references > 0, "a tensor is put without a reference");
  if (tensor.bytes > budget_bytes_ - used_bytes_) return kNoTensor;
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  used_bytes_ += tensor.bytes;
  slot.tensor = std::move(tensor);
  slot.references = references;
  ++slot.generation;
  return TensorHandle{slot.generation} << 32 | index;
}

void TensorStore::share(TensorHandle handle, std::uint32_t more) {
  slots_[slot_of(handle)].references += more;
}

const StoredTensor& TensorStore::at(TensorHandle handle) const { return slots_[slot_of(handle)].tensor; }

StoredTensor TensorStore::take(TensorHandle handle) {
  StoredTensor tensor = at(handle);
  drop(handle);
  return tensor;
}

void TensorStore::drop(TensorHandle handle) {
  const std::uint32_t index = slot_of(handle);
  Slot& slot = slots_[index];
  if (--slot.references > 0) return;
  const std::size_t bytes = slot.tensor.bytes;
  slot.tensor = {};
  free_slots_.push_back(index);
  used_bytes_ -= bytes;
  if (freed_) freed_(bytes);
}

std::uint32_t TensorStore::slot_of(TensorHandle handle) const {
  const auto index = static_cast<std::uint32_t>(handle);
  const auto generation = static_cast<std::uint32_t>(handle >> 32);
  HARNESS_CHECK(
      index < slots_.size() && slots_[index].generation == generation && slots_[index].references > 0,
      "a handle of no tensor in the store");
  return index;
}

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
