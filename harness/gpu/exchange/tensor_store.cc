#include "harness/gpu/exchange/tensor_store.h"

#include <utility>

#include "harness/core/check.h"

namespace harness {

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

}  // namespace harness
