#include "harness/gpu/cuda/cuda_graph.h"

#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using RecordedGraph = std::unique_ptr<CUgraph_st, DestroyGraph>;

RecordedGraph record(CudaStream& stream, const std::function<void()>& enqueue) {
  cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture",
             "recording a graph");
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    if (cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess) cudaGraphDestroy(graph);
    cudaGetLastError();  // the capture's own failure is a consequence
    throw;
  }
  cuda_check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture", "recording a graph");
  return RecordedGraph(graph);
}

}  // namespace

CudaGraph::CudaGraph(CudaStream& stream, const std::function<void()>& enqueue) {
  const RecordedGraph recorded = record(stream, enqueue);
  cudaGraphExec_t graph = nullptr;
  cuda_check(cudaGraphInstantiate(&graph, recorded.get(), 0), "cudaGraphInstantiate", "making a graph ready");
  graph_.reset(graph);
  cuda_check(cudaGraphUpload(graph, stream.get()), "cudaGraphUpload", "moving a graph to the device");
}

void CudaGraph::launch(const CudaStream& stream) const {
  cuda_check(cudaGraphLaunch(graph_.get(), stream.get()), "cudaGraphLaunch", "launching a graph");
}

}  // namespace harness
