// Memory of the device, and of the host memory that the device copies from and to.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "harness/gpu/cuda/cuda_stream.h"

namespace harness {

/// Device memory that begins at a multiple of 256 and is not initialised. `purpose` is for the message if no
/// memory is left ("inputs of resnet50, batch 8"). Freeing it waits for the device. Throws DeviceError.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::size_t bytes, std::string_view purpose);
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

/// Pinned buffers that are used again and again, because pinning one stops the device for a while. Their
/// sizes are powers of two, so that a small batch does not hold a large batch's buffer. One thread takes
/// them; any thread may give them back, also after the pool's end. Every failure is a DeviceError.
class PinnedPool {
 public:
  /// Pins two buffers of each size, from the size for `least` bytes to the size for `most` bytes, unless they
  /// are there.
  void reserve(std::size_t least, std::size_t most, std::string_view purpose);
  /// Returns a buffer of at least `bytes` and less than twice as many.
  std::shared_ptr<PinnedBuffer> take(std::size_t bytes, std::string_view purpose);

 private:
  struct Free {
    std::mutex mutex;
    std::vector<PinnedBuffer> buffers;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

/// Enqueues the copy of the bytes from `begin` to `end` to the same places of `to`; both buffers are at least
/// as large as `end` and stay until the stream has passed the copy. Throws DeviceError.
void copy_part_to_device(const PinnedBuffer& from, const DeviceBuffer& to, std::size_t begin, std::size_t end,
                         const CudaStream& stream);
/// Enqueues the copy of the first `bytes` bytes, under the same conditions.
void copy_to_host(const DeviceBuffer& from, const PinnedBuffer& to, std::size_t bytes,
                  const CudaStream& stream);

}  // namespace harness
