// A network as a chain of stages, one a layer: what the zoo's models are.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Random weights that are the same everywhere.

/// Fills with numbers uniform in centre +- half_width, a function of (seed, name, index) only. About 0.5 ns a
/// number.
void fill_uniform(std::span<float> values, std::uint64_t seed, std::string_view name, float centre,
                  float half_width);

/// What lives between two stages: a stack of tensors (first dimension: the batch) whose top is the last.
/// Below it stand those that later layers still need, as a residual block's input. It starts as {input}, ends
/// as {output}, and is all that a stage reads beside the weights, so a batch can stop, or be kept, between
/// any two.
using NetworkState = std::vector<at::Tensor>;

/// One layer. Never writes into a tensor that it takes: another entry may share it. No call in it waits for
/// the device, and no shape in it depends on values: a CUDA graph can hold it.
struct Stage {
  std::string name;  ///< "layer1_0_conv2"; unique within the network
  std::function<void(NetworkState&)> run;
};

/// How random weights are drawn: each uniform in centre +- half_width.
struct WeightRange {
  float centre = 0;
  float half_width = 0;
};
/// Around 0.
WeightRange range_of_variance(double variance);

/// A network for inference: no gradients, no dropout, normalisation by stored statistics. Its parameters are
/// the module's, so to(device), named_parameters() and buffers() are LibTorch's; the stages follow a move.
/// Made by NetworkBuilder. The stages may be used as long as the network lives; one thread at a time.
class Network : public torch::nn::Module {
 public:
  explicit Network(std::string name);

  /// All stages in order. `input` is [batch, 3, height, width], float; the output's first dimension is batch.
  at::Tensor forward(const at::Tensor& input) const;
  const std::vector<Stage>& stages() const { return stages_; }
  /// Places between stages.
  int exit_points() const { return static_cast<int>(stages_.size()) - 1; }

  /// Elements of all parameters (buffers, such as running means, are no parameters).
  std::int64_t parameter_count() const;
  /// Draws all weights again. Each depends on (seed, the parameter's name, its index there) alone, by
  /// integers and one rounding: the same bits on every machine and with every LibTorch. Needs them on the
  /// CPU.
  void fill_weights(std::uint64_t seed);
  /// Makes each batch normalisation that follows a convolution without bias, and its activation, part of the
  /// convolution; its own stage is left with nothing to do. The same up to rounding. Once, with the weights
  /// drawn.
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
  std::vector<std::function<void()>> folds_;  ///< of one normalisation each
};

/// Gives those of `weights` that have fractions another type, in place: the stages follow. In half precision
/// those of convolutions become channels last, and so does what these return.
void convert_weights(const std::vector<at::Tensor>& weights, at::ScalarType type);

}  // namespace harness
