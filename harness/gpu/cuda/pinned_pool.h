// Pinned buffers that batches of any size use again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "harness/gpu/cuda/cuda_buffer.h"

namespace harness {

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

}  // namespace harness
