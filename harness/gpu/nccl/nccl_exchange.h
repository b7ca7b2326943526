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

/// From the device's memory pool, which keeps what is freed for the next tensor. Copies from and to the host
/// wait for the device; allocate() and copy_for_lane() do not: a stream may use what they gave once it has
/// waited for allocated(), which the lane does. What is let go of must be used by no stream any more. One
/// thread. A copy that fails is a DeviceError.
class DeviceTensorMemory final : public TensorMemory {
 public:
  /// Throws DeviceError when the device cannot be used.
  explicit DeviceTensorMemory(int device);

  StoredTensor allocate(std::size_t bytes) override;
  void copy_to_host(const StoredTensor& from, std::span<std::byte> to) override;
  void copy_from_host(std::span<const std::byte> from, const StoredTensor& to) override;
  StoredTensor copy_for_lane(const StoredTensor& from, std::size_t bytes) override;
  /// Its last record stands behind all that was allocated or copied. Other threads may have streams wait for
  /// it.
  std::shared_ptr<const CudaEvent> allocated() const { return allocated_; }

 private:
  void enqueue_copy(void* to, const void* from, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);

  int device_;
  std::shared_ptr<CudaStream> stream_;  ///< tensors share it: it stays until the last one has gone
  std::shared_ptr<CudaEvent> allocated_;
};

/// For the device of that index, which has the GPU `self` of the cluster; `wake` is called by a thread of the
/// lane. Throws DeviceError when the device cannot be used.
DeviceExchange make_nccl_exchange(int device, WorkerId self, std::function<void()> wake);
/// DeviceExchanges::make_channel_id.
std::vector<std::byte> make_nccl_channel_id();

}  // namespace harness
