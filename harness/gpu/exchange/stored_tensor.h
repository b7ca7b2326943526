// A tensor in memory, with what keeps it there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace harness {

/// Bytes in host or device memory, and the object that keeps them alive (a LibTorch tensor, a buffer of a
/// pool).
struct StoredTensor {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<void> owner;

  std::span<std::byte> span() const { return {data, bytes}; }
};

}  // namespace harness
