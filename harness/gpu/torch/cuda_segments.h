// A network on a GPU, which runs segment by segment: as CUDA graphs if it can be captured.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_graph.h"
#include "harness/gpu/cuda/cuda_model.h"
#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

class GraphPool;

/// A loaded model. Its input is one tensor, which the assembly fills; the segments between its exit points
/// are enqueued one after another. When it is made, graphs are captured for each segment of each size in
/// ModelSource::batches, after that size has run call by call; any other size, and a size that cannot be
/// captured, runs call by call. All functions are called on the device's thread, where `stream` is LibTorch's
/// current stream.
class CudaSegments final : public CudaModel {
 public:
  /// The GPU, stream and memory with which the model runs. The stream and the pool outlive it.
  struct Resources {
    CudaStream& stream;
    GraphPool& pool;
    c10::DeviceIndex device = 0;
    bool graphs = true;  ///< true: CUDA graphs are captured; false: everything runs call by call
  };

  /// Moves the weights to the device. If a batch of one does not run or the device is lost, throws the
  /// exception of a stage or DeviceError, which need not name model and batch: the caller adds them
  /// (caught_at()).
  CudaSegments(StagedModel model, const ModelSource& source, const DevicePlace& place,
               const Resources& resources);

  const InputFormat& format() const override { return model_.input; }
  std::size_t max_batch() const override { return max_batch_; }
  int segments() const override { return static_cast<int>(begins_.size()) - 1; }
  float* input() const override { return reinterpret_cast<float*>(input_.data()); }
  std::size_t input_bytes() const override { return input_.size(); }
  std::uint64_t weight_bytes() const override { return bytes_of(model_); }
  /// Returns "batch 3 to 8 without a CUDA graph: WHY", a line for each reason; empty if all sizes have
  /// graphs.
  const std::vector<std::string>& notes() const override { return notes_; }
  void enqueue(std::size_t batch, int segment) override;
  const Output& output() const override { return output_; }

 private:
  /// The graphs of a batch size, and the place where they leave the output.
  struct Captured {
    std::vector<CudaGraph> graphs;  ///< graphs by segment; empty: call by call
    Output output;
  };

  /// Runs batches of one for the first time. A DeviceError names the model.
  void run_first_batch();
  /// Returns how long the stages take for a batch of the largest size, call by call.
  std::vector<TimeNs> time_stages();
  /// Captures graphs of these sizes, which must rise, and notes the sizes that cannot be captured.
  void prepare_sizes(const std::vector<int>& sizes);
  void warm_up(std::size_t batch);
  /// Captures a size; if memory is short, frees what call-by-call runs keep and tries again.
  void capture_freeing_memory(std::size_t batch);
  void capture(std::size_t batch, Captured& captured);
  /// Drops the tensors that call-by-call runs have left.
  void forget_state();
  void run_stages_of(std::size_t batch, int segment);
  at::Tensor input_of(std::size_t batch) const;

  Resources resources_;
  DevicePlace place_;
  StagedModel model_;
  std::size_t max_batch_;
  std::size_t output_bytes_;
  std::vector<std::size_t> begins_;  ///< first stage of each segment; then the number of stages
  CudaBuffer input_;
  std::vector<Captured> captured_;  ///< graphs by batch size - 1
  std::vector<std::string> notes_;
  std::vector<at::Tensor> state_;  ///< state between segments that run call by call
  at::Tensor kept_output_;         ///< tensor of output_.values after a call-by-call run
  at::Tensor kept_payload_;        ///< tensor of output_.payload after a call-by-call run
  Output output_;
};

}  // namespace harness
