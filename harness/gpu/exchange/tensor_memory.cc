#include "harness/gpu/exchange/tensor_memory.h"

#include <cstring>
#include <new>
#include <utility>

#include "harness/core/check.h"

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

}  // namespace harness
