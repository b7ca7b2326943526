// Work of a stream, recorded once and launched as one.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "harness/gpu/cuda/cuda_stream.h"

namespace harness {

/// An instantiated CUDA graph. The buffers that the recorded work names stay as long as it is launched.
class CudaGraph {
 public:
  /// Runs `enqueue`, whose work on `stream` (and on streams it makes wait for it, and it for them) is
  /// recorded instead of run. Work that a capture cannot hold (synchronous calls, memory from cudaMalloc)
  /// fails it: throws DeviceError, or what `enqueue` threw; the stream is as before and nothing has run.
  CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);

  /// Enqueues all of it on `stream`. Throws DeviceError.
  void launch(const CudaStream& stream) const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace harness
