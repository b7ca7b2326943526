// The exchange of a CUDA device by NCCL.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/tensor_store.h"

namespace harness {

// Tensors in the memory of a CUDA device.

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

/// Makes the exchange of the device with this index, which has the GPU `self` of the cluster; `wake` is
/// called by a thread of the lane. Throws DeviceError if the device cannot be used.
DeviceExchange make_nccl_exchange(int device, WorkerId self, std::function<void()> wake);
/// Is DeviceExchanges::make_channel_id for NCCL.
std::vector<std::byte> make_nccl_channel_id();

}  // namespace harness
