#include "harness/gpu/cuda/cuda_buffer.h"

#include <string>

#include "harness/core/check.h"
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

CudaBuffer::CudaBuffer(std::size_t bytes, std::string_view purpose) : size_(bytes) {
  void* data = nullptr;
  check_scheduled(cudaMalloc(&data, bytes), "cudaMalloc", bytes, purpose);
  data_.reset(static_cast<std::byte*>(data));
}

PinnedBuffer::PinnedBuffer(std::size_t bytes, std::string_view purpose) : size_(bytes) {
  void* data = nullptr;
  check_scheduled(cudaHostAlloc(&data, bytes, cudaHostAllocDefault), "cudaHostAlloc", bytes, purpose);
  data_.reset(static_cast<std::byte*>(data));
}

void copy_part_to_device(const PinnedBuffer& from, const CudaBuffer& to, std::size_t begin, std::size_t end,
                         const CudaStream& stream) {
  HARNESS_CHECK(begin <= end && end <= from.bytes().size() && end <= to.size(),
                "a copy larger than its buffers");
  copy(to.data() + begin, from.bytes().data() + begin, end - begin, cudaMemcpyHostToDevice, stream);
}

void copy_to_host(const CudaBuffer& from, const PinnedBuffer& to, std::size_t bytes,
                  const CudaStream& stream) {
  HARNESS_CHECK(bytes <= from.size() && bytes <= to.bytes().size(), "a copy larger than its buffers");
  copy(to.bytes().data(), from.data(), bytes, cudaMemcpyDeviceToHost, stream);
}

}  // namespace harness
