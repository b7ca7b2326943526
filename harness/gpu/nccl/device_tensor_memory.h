// Tensors in the memory of a CUDA device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/exchange/tensor_memory.h"

namespace harness {

/// Allocates from the device's memory pool, which keeps freed memory for the next tensor. Copies from and to
/// the host wait for the device; allocate() and copy_for_lane() do not: a stream may use their memory once it
/// has waited for allocated(), as the lane does. No stream may still use a tensor when its last owner goes.
/// It is used by one thread. A copy that fails is a DeviceError.
class DeviceTensorMemory final : public TensorMemory {
 public:
  /// Throws DeviceError if the device cannot be used.
  explicit DeviceTensorMemory(int device);

  StoredTensor allocate(std::size_t bytes) override;
  void copy_to_host(const StoredTensor& from, std::span<std::byte> to) override;
  void copy_from_host(std::span<const std::byte> from, const StoredTensor& to) override;
  StoredTensor copy_for_lane(const StoredTensor& from, std::size_t bytes) override;
  /// Returns the event whose last record lies behind all allocations and copies. Other threads may have
  /// streams wait for it.
  std::shared_ptr<const CudaEvent> allocated() const { return allocated_; }

 private:
  void enqueue_copy(void* to, const void* from, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);

  int device_;
  std::shared_ptr<CudaStream> stream_;  ///< stream of the tensors; it stays until the last has gone
  std::shared_ptr<CudaEvent> allocated_;
};

}  // namespace harness
