// The memory for the values that captured CUDA graphs compute.
#pragma once

#include <cuda_runtime_api.h>

#include <c10/core/Allocator.h>

namespace harness {

/// A pool of LibTorch's caching allocator. Memory that is allocated from it during a capture keeps its
/// address for as long as the pool lives, and is given only to later captures: graphs that share a pool must
/// run one after another, and the values of one are gone once another runs. The pool must be destroyed after
/// the graphs. It is used by one thread.
class GraphPool {
 public:
  /// Makes a pool of GPU `device`, for which LibTorch must have been initialised.
  explicit GraphPool(c10::DeviceIndex device);
  /// Gives the memory back, with all unused memory that LibTorch keeps.
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;

  /// While it lives, tensors made for `stream` are allocated from the pool. Only one may exist at a time.
  class Use {
   public:
    Use(GraphPool& pool, cudaStream_t stream);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    GraphPool& pool_;
  };

 private:
  c10::DeviceIndex device_;
  c10::MempoolId_t id_;
};

}  // namespace harness
