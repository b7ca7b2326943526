// Memory for what captured CUDA graphs compute.
#pragma once

#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

namespace harness {

/// A pool of LibTorch's caching allocator. What is allocated from it during a capture keeps its address for
/// as long as the pool lives, and is handed to nobody but later captures: graphs that share a pool must run
/// one after another, and what one leaves there is gone once another runs. To be destroyed after the graphs.
/// One thread.
class GraphPool {
 public:
  /// Of GPU `device`, which LibTorch has been initialised for.
  explicit GraphPool(c10::DeviceIndex device);
  /// Gives the memory back, with all that LibTorch keeps unused.
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;

  /// While it lives, tensors made for `stream` are of the pool. One at a time.
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
