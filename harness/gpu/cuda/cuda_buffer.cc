#include "harness/gpu/cuda/cuda_buffer.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

void check_scheduled(cudaError_t status, const char* call, std::size_t bytes, std::string_view purpose) {
  if (status == cudaSuccess) return;
  fail_cuda(status, call, "reserving " + std::to_string(bytes) + " bytes for " + std::string(purpose));
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const CudaStream& stream) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, stream.get());
  if (status == cudaSuccess) return;
  fail_cuda(status, "cudaMemcpyAsync",
            "copying " + std::to_string(bytes) +
                (kind == cudaMemcpyHostToDevice ? " bytes to the device" : " bytes from the device"));
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, std::string_view purpose) : size_(bytes) {
  void* data = nullptr;
  check_scheduled(cudaMalloc(&data, bytes), "cudaMalloc", bytes, purpose);
  data_.reset(static_cast<std::byte*>(data));
}

PinnedBuffer::PinnedBuffer(std::size_t bytes, std::string_view purpose) : size_(bytes) {
  void* data = nullptr;
  check_scheduled(cudaHostAlloc(&data, bytes, cudaHostAllocDefault), "cudaHostAlloc", bytes, purpose);
  data_.reset(static_cast<std::byte*>(data));
}

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

void copy_part_to_device(const PinnedBuffer& from, const DeviceBuffer& to, std::size_t begin, std::size_t end,
                         const CudaStream& stream) {
  HARNESS_CHECK(begin <= end && end <= from.bytes().size() && end <= to.size(),
                "a copy larger than its buffers");
  copy(to.data() + begin, from.bytes().data() + begin, end - begin, cudaMemcpyHostToDevice, stream);
}

void copy_to_host(const DeviceBuffer& from, const PinnedBuffer& to, std::size_t bytes,
                  const CudaStream& stream) {
  HARNESS_CHECK(bytes <= from.size() && bytes <= to.bytes().size(), "a copy larger than its buffers");
  copy(to.bytes().data(), from.data(), bytes, cudaMemcpyDeviceToHost, stream);
}

}  // namespace harness
