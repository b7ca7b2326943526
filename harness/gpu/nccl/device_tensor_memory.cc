#include "harness/gpu/nccl/device_tensor_memory.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/gpu/cuda/cuda_check.h"

namespace harness {

DeviceTensorMemory::DeviceTensorMemory(int device) : device_(device) {
  const std::string attempted = "preparing memory for tensors on device " + std::to_string(device);
  set_cuda_device(device, attempted);
  stream_ = std::make_shared<CudaStream>();
  allocated_ = std::make_shared<CudaEvent>(CudaEvent::Timing::kOff);
  cudaMemPool_t pool = nullptr;
  cuda_check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool", attempted);
  std::uint64_t keep_bytes = std::numeric_limits<std::uint64_t>::max();
  cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_bytes),
             "cudaMemPoolSetAttribute", attempted);
}

StoredTensor DeviceTensorMemory::allocate(std::size_t bytes) {
  set_cuda_device(device_, "allocating a tensor");
  void* data = nullptr;
  const std::size_t reserved = (std::max<std::size_t>(bytes, 1) + 3) / 4 * 4;  // the assembly reads words
  const cudaError_t allocated = cudaMallocAsync(&data, reserved, stream_->get());
  if (allocated == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // no memory is an answer, not a failure of the next call
    return {};
  }
  cuda_check(allocated, "cudaMallocAsync", "allocating a tensor of " + std::to_string(bytes) + " bytes");
  std::shared_ptr<void> owner(
      data, [stream = stream_](void* memory) { (void)cudaFreeAsync(memory, stream->get()); });
  allocated_->record(*stream_);
  return {static_cast<std::byte*>(data), bytes, std::move(owner)};
}

void DeviceTensorMemory::copy_to_host(const StoredTensor& from, std::span<std::byte> to) {
  HARNESS_CHECK(from.bytes == to.size(), "a tensor is copied to a buffer of another size");
  copy(to.data(), from.data, to.size());
}

void DeviceTensorMemory::copy_from_host(std::span<const std::byte> from, const StoredTensor& to) {
  HARNESS_CHECK(from.size() == to.bytes, "a tensor is copied from a buffer of another size");
  copy(to.data, from.data(), from.size());
}

StoredTensor DeviceTensorMemory::copy_for_lane(const StoredTensor& from, std::size_t bytes) {
  StoredTensor copy = allocate(bytes);
  if (copy.owner == nullptr) return copy;
  enqueue_copy(copy.data, from.data, bytes);
  allocated_->record(*stream_);
  // The copy owns its source too: the lane uses the copy when it has been made.
  copy.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
      from.owner, std::move(copy.owner));
  return copy;
}

void DeviceTensorMemory::enqueue_copy(void* to, const void* from, std::size_t bytes) {
  set_cuda_device(device_, "copying a tensor");
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_->get()), "cudaMemcpyAsync",
             "copying a tensor of " + std::to_string(bytes) + " bytes");
}

void DeviceTensorMemory::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  enqueue_copy(to, from, bytes);
  stream_->synchronize();
}

}  // namespace harness
