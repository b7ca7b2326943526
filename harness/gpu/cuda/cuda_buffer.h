// Memory of the device, and of the host memory that the device copies from and to.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "harness/gpu/cuda/cuda_stream.h"

namespace harness {

/// Device memory that begins at a multiple of 256 and is not initialised. `purpose` is for the message if no
/// memory is left ("inputs of resnet50, batch 8"). Freeing it waits for the device. Throws DeviceError.
class CudaBuffer {
 public:
  CudaBuffer() = default;
  CudaBuffer(std::size_t bytes, std::string_view purpose);
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { cudaFree(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// Page-locked host memory, which copies read and write while the host goes on. Throws DeviceError.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::size_t bytes, std::string_view purpose);
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { cudaFreeHost(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// Enqueues the copy of the bytes from `begin` to `end` to the same places of `to`; both buffers are at least
/// as large as `end` and stay until the stream has passed the copy. Throws DeviceError.
void copy_part_to_device(const PinnedBuffer& from, const CudaBuffer& to, std::size_t begin, std::size_t end,
                         const CudaStream& stream);
/// Enqueues the copy of the first `bytes` bytes, under the same conditions.
void copy_to_host(const CudaBuffer& from, const PinnedBuffer& to, std::size_t bytes,
                  const CudaStream& stream);

}  // namespace harness
