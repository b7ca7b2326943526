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
#include "harness/gpu/cuda/cuda_engine.h"
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

/// A loaded model. Its input is one tensor, which the assembly fills; the segments between its exit points
/// are enqueued one after another. Graphs for each segment of ModelSource::batches are captured when it is
/// made, after running that size call by call; any other size, and one that cannot be captured, runs call by
/// call. All on the device's thread, where `stream` is LibTorch's current stream.
class CudaSegments final : public CudaModel {
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

  const InputFormat& format() const override { return model_.input; }
  std::size_t max_batch() const override { return max_batch_; }
  int segments() const override { return static_cast<int>(begins_.size()) - 1; }
  float* input() const override { return reinterpret_cast<float*>(input_.data()); }
  std::size_t input_bytes() const override { return input_.size(); }
  std::uint64_t weight_bytes() const override { return bytes_of(model_); }
  /// "batch 3 to 8 without a CUDA graph: WHY", a line for each reason; none when all sizes have graphs.
  const std::vector<std::string>& notes() const override { return notes_; }
  void enqueue(std::size_t batch, int segment) override;
  const CudaOutput& output() const override { return output_; }

 private:
  /// The graphs of a batch size, and where they leave the output.
  struct Captured {
    std::vector<CudaGraph> graphs;  ///< empty: call by call
    CudaOutput output;
  };

  void try_first_run();
  /// How long the stages take for a batch of the largest size, call by call.
  std::vector<TimeNs> time_stages();
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
  std::size_t output_bytes_;
  std::vector<std::size_t> begins_;  ///< by segment: its first stage; then the number of stages
  DeviceBuffer input_;
  std::vector<Captured> captured_;  ///< by batch size - 1
  std::vector<std::string> notes_;
  std::vector<at::Tensor> state_;  ///< between segments that run call by call
  at::Tensor kept_output_;         ///< likewise
  at::Tensor kept_payload_;        ///< likewise
  CudaOutput output_;
};

}  // namespace harness
