// A network on a GPU, segment by segment: as CUDA graphs where it can be captured.
#pragma once

#include <cuda_runtime_api.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

// Memory for what captured CUDA graphs compute.

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

/// Values on the device, one image's after another's.
struct CudaOutput {
  const float* values = nullptr;
  std::size_t count = 0;
};

/// A loaded model. Its input is one tensor, which the assembly fills; the segments between its exit points
/// are enqueued one after another. Graphs for each segment of ModelSource::batches are captured when it is
/// made, after running that size call by call; any other size, and one that cannot be captured, runs call by
/// call. All on the device's thread, where `stream` is LibTorch's current stream.
class CudaSegments {
 public:
  /// Where it runs. All outlive it.
  struct Place {
    CudaStream& stream;
    GraphPool& pool;
    c10::DeviceIndex device = 0;
    bool graphs = true;  ///< false: everything call by call
  };

  /// Moves the weights to the device. Throws DeviceError, which need not name model and batch, or what a
  /// stage throws, when a batch of one does not run or the device is lost.
  CudaSegments(StagedModel model, const ModelSource& source, const DevicePlace& place, const Place& where);

  const InputFormat& format() const { return model_.input; }
  std::size_t max_batch() const { return max_batch_; }
  int segments() const { return static_cast<int>(begins_.size()) - 1; }
  /// Of max_batch images, in the format.
  float* input() const { return reinterpret_cast<float*>(input_.data()); }
  std::size_t input_bytes() const { return input_.size(); }
  std::uint64_t weight_bytes() const { return bytes_of(model_); }
  /// "batch 3 to 8 without a CUDA graph: WHY", a line for each reason; none when all sizes have graphs.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Enqueues a segment of a batch, 0 first, in order. Throws likewise.
  void enqueue(std::size_t batch, int segment);
  /// Of the batch whose last segment was enqueued last; its values are there once that has passed, until the
  /// next batch's first segment.
  const CudaOutput& output() const { return output_; }

 private:
  /// The graphs of a batch size, and where they leave the output.
  struct Captured {
    std::vector<CudaGraph> graphs;  ///< empty: call by call
    CudaOutput output;
  };

  void try_first_run();
  /// `sizes` rising.
  void prepare_sizes(const std::vector<int>& sizes);
  void warm_up(std::size_t batch);
  void capture_with_room(std::size_t batch);
  void capture(std::size_t batch, Captured& captured);
  /// Lets go of what runs call by call left.
  void forget_state();
  void run_stages_of(std::size_t batch, int segment);
  at::Tensor input_of(std::size_t batch) const;

  Place where_;
  DevicePlace place_;
  StagedModel model_;
  std::size_t max_batch_;
  std::vector<std::size_t> begins_;  ///< by segment: its first stage; then the number of stages
  DeviceBuffer input_;
  std::vector<Captured> captured_;  ///< by batch size - 1
  std::vector<std::string> notes_;
  std::vector<at::Tensor> state_;  ///< between segments that run call by call
  at::Tensor kept_output_;         ///< likewise
  CudaOutput output_;
};

}  // namespace harness
