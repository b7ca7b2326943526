// Memory of the device, and of the host where the device copies from.
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

/// Device memory, from a multiple of 256, not initialised. `purpose` is for the message when there is none
/// left ("inputs of resnet50, batch 8"). Freeing it waits for the device. Throws DeviceError.
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

/// Pinned buffers that are used again and again: pinning one stops the device for a while. Their sizes are
/// powers of two, so that a small batch does not hold a large one's. One thread takes them; any gives them
/// back, also after the pool's end. What fails is a DeviceError.
class PinnedPool {
 public:
  /// Pins two of each size from that of `least` to that of `most` bytes, unless they are there.
  void reserve(std::size_t least, std::size_t most, std::string_view purpose);
  /// One of at least so many bytes, less than twice as many.
  std::shared_ptr<PinnedBuffer> take(std::size_t bytes, std::string_view purpose);

 private:
  struct Free {
    std::mutex mutex;
    std::vector<PinnedBuffer> buffers;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

/// Enqueues the copy of the bytes from `begin` to `end` to the same places of `to`; both buffers are that
/// large and stay until the stream has passed it. Throws DeviceError.
void copy_part_to_device(const PinnedBuffer& from, const DeviceBuffer& to, std::size_t begin, std::size_t end,
                         const CudaStream& stream);
/// Enqueues the copy of the first `bytes` bytes; likewise.
void copy_to_host(const DeviceBuffer& from, const PinnedBuffer& to, std::size_t bytes,
                  const CudaStream& stream);

}  // namespace harness
