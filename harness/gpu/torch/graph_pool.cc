#include "harness/gpu/torch/graph_pool.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

namespace harness {

namespace allocator = c10::cuda::CUDACachingAllocator;

GraphPool::GraphPool(c10::DeviceIndex device) : device_(device), id_(at::cuda::graph_pool_handle()) {
  allocator::createOrIncrefPool(device_, id_);
}

GraphPool::~GraphPool() {
  try {
    allocator::releasePool(device_, id_);
    allocator::emptyCache();  // otherwise the memory would stay with streams that are gone
  } catch (const c10::Error&) {
    // The device is lost: nothing is allocated there any more.
  }
}

GraphPool::Use::Use(GraphPool& pool, cudaStream_t stream) : pool_(pool) {
  allocator::beginAllocateToPool(pool.device_, pool.id_,
                                 [stream](cudaStream_t other) { return other == stream; });
}

GraphPool::Use::~Use() {
  allocator::endAllocateToPool(pool_.device_, pool_.id_);
  allocator::releasePool(pool_.device_, pool_.id_);  // beginAllocateToPool() counts as a user of its own
}

}  // namespace harness
