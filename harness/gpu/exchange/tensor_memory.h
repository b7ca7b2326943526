// Memory of the host or of a device, for tensors.
#pragma once

#include <cstddef>
#include <span>

#include "harness/gpu/exchange/stored_tensor.h"

namespace harness {

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

}  // namespace harness
