// The recorded work of a stream, which is launched as one.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "harness/gpu/cuda/cuda_stream.h"

namespace harness {

/// An instantiated CUDA graph. The buffers that the recorded work uses must stay as long as it is launched.
class CudaGraph {
 public:
  /// Runs `enqueue`; its work on `stream` (and on streams that it makes wait for `stream`, and `stream` for
  /// them) is recorded instead of run. The capture fails if it cannot hold the work (synchronous calls,
  /// memory from cudaMalloc): throws DeviceError, or what `enqueue` threw; the stream is then as before and
  /// nothing has run.
  CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);

  /// Enqueues all of the work on `stream`. Throws DeviceError.
  void launch(const CudaStream& stream) const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace harness
