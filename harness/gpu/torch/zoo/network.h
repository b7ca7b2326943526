// A network as a chain of stages, one per layer: the models of the zoo are of this kind.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/gpu/torch/zoo/weight_range.h"

namespace harness {

/// The state between two stages: a stack of tensors (first dimension: the batch) whose top is the last. Below
/// it are the tensors that later layers still need, such as a residual block's input. The stack starts as
/// {input}, ends as {output}, and is all that a stage reads beside the weights, so a batch can stop, or be
/// kept, between any two stages.
using NetworkState = std::vector<at::Tensor>;

/// A network for inference: no gradients, no dropout, normalisation by stored statistics. Its parameters are
/// the module's, so to(device), named_parameters() and buffers() are LibTorch's; the stages follow a move. It
/// is made by NetworkBuilder. The stages may be used as long as the network lives, by one thread at a time.
class Network : public torch::nn::Module {
 public:
  /// One layer. It never writes into a tensor that it takes: another entry may share it. No call in it waits
  /// for the device, and no shape in it depends on values: a CUDA graph can hold it.
  struct Stage {
    std::string name;  ///< name such as "layer1_0_conv2"; unique within the network
    std::function<void(NetworkState&)> run;
  };

  explicit Network(std::string name);

  /// Runs all stages in order. `input` is [batch, 3, height, width], float; the output's first dimension is
  /// batch.
  at::Tensor forward(const at::Tensor& input) const;
  const std::vector<Stage>& stages() const { return stages_; }
  /// Returns the number of places between stages.
  int exit_points() const { return static_cast<int>(stages_.size()) - 1; }

  /// Returns the number of elements of all parameters (buffers, such as running means, are not parameters).
  std::int64_t parameter_count() const;
  /// Draws all weights again. Each depends on (seed, the parameter's name, its index there) alone, by
  /// integers and one rounding: the same bits on every machine and with every LibTorch. The weights must be
  /// on the CPU.
  void fill_weights(std::uint64_t seed);
  /// Makes each batch normalisation that follows a convolution without bias, and its activation, part of the
  /// convolution; its own stage then does nothing. The results are the same up to rounding. Call it once,
  /// after the weights have been drawn.
  void fold_norms();

 private:
  friend class NetworkBuilder;
  struct DrawnWeight {
    std::string name;
    at::Tensor tensor;
    WeightRange range;
  };

  std::vector<Stage> stages_;
  std::vector<DrawnWeight> drawn_;
  std::vector<std::function<void()>> folds_;  ///< functions that fold one normalisation each
};

/// Converts those weights that have fractions to another type, in place: the stages follow. In half precision
/// the weights of convolutions become channels last, and so do the outputs of convolutions.
void convert_weights(const std::vector<at::Tensor>& weights, at::ScalarType type);

}  // namespace harness
