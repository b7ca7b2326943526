#include "harness/gpu/cuda/pinned_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace harness {

void PinnedPool::reserve(std::size_t least, std::size_t most, std::string_view purpose) {
  constexpr std::ptrdiff_t kEach = 2;
  for (std::size_t size = std::bit_ceil(least); size <= std::bit_ceil(most); size *= 2) {
    const auto has_size = [size](const PinnedBuffer& one) { return one.bytes().size() == size; };
    const std::lock_guard lock(free_->mutex);
    std::vector<PinnedBuffer>& buffers = free_->buffers;
    for (auto there = std::count_if(buffers.begin(), buffers.end(), has_size); there < kEach; ++there)
      buffers.emplace_back(size, purpose);
  }
}

std::shared_ptr<PinnedBuffer> PinnedPool::take(std::size_t bytes, std::string_view purpose) {
  const std::size_t size = std::bit_ceil(bytes);
  PinnedBuffer buffer;
  {
    const std::lock_guard lock(free_->mutex);
    std::vector<PinnedBuffer>& buffers = free_->buffers;
    const auto found = std::find_if(buffers.begin(), buffers.end(),
                                    [size](const PinnedBuffer& one) { return one.bytes().size() == size; });
    if (found != buffers.end()) {
      buffer = std::move(*found);
      buffers.erase(found);
    }
  }
  if (buffer.bytes().empty()) buffer = PinnedBuffer(size, purpose);
  return {new PinnedBuffer(std::move(buffer)), [free = free_](PinnedBuffer* used) {
            const std::lock_guard lock(free->mutex);
            free->buffers.push_back(std::move(*used));
            delete used;
          }};
}

}  // namespace harness
