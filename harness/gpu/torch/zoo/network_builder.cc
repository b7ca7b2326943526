#include "harness/gpu/torch/zoo/network_builder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "harness/core/check.h"
#include "harness/gpu/torch/zoo/layer_functions.h"
#include "harness/gpu/torch/zoo/network.h"

namespace harness {
namespace {

constexpr WeightRange kBiasRange{0, 0.1F};

at::Tensor empty(const std::vector<int>& shape) {
  return at::empty(std::vector<std::int64_t>(shape.begin(), shape.end()));
}

}  // namespace

/// A convolution, and the activation of its sums once a normalisation has been folded into it.
struct NetworkBuilder::FoldableConv {
  at::Tensor weight, bias;
  Activation activation = Activation::kNone;
  bool is_folded = false;

  /// Folds in what follows: the activation of x * scale + shift for each channel.
  void fold(const at::Tensor& scale, const at::Tensor& shift, Activation act) {
    weight.mul_(scale.view({-1, 1, 1, 1}));
    bias = shift;
    activation = act;
    is_folded = true;
  }
};

NetworkBuilder::NetworkBuilder(const std::string& name) : network_(std::make_shared<Network>(name)) {}
NetworkBuilder::~NetworkBuilder() = default;

std::shared_ptr<Network> NetworkBuilder::finish() {
  HARNESS_CHECK(moves_.empty(), "a network ends with a stage");
  network_->eval();
  return std::move(network_);
}

void NetworkBuilder::copy(int depth) { moves_.push_back({.copies = true, .depth = depth}); }
void NetworkBuilder::bring(int depth) { moves_.push_back({.copies = false, .depth = depth}); }

void NetworkBuilder::append(const std::string& name, std::function<void(NetworkState&)> run) {
  auto with_moves = [moves = std::exchange(moves_, {}), run = std::move(run)](NetworkState& state) {
    for (const Move& move : moves) {
      const auto entry = state.end() - 1 - move.depth;
      if (move.copies)
        state.push_back(at::Tensor(*entry));
      else
        std::rotate(entry, entry + 1, state.end());
    }
    run(state);
  };
  network_->stages_.push_back({name, std::move(with_moves)});
  last_conv_ = nullptr;
}

void NetworkBuilder::layer(const std::string& name, Layer run) {
  append(name, [run = std::move(run)](NetworkState& state) { state.back() = run(state.back()); });
}

void NetworkBuilder::stage(const std::string& name, int count,
                           std::function<NetworkState(const NetworkState&)> run) {
  append(name, [count, run = std::move(run)](NetworkState& state) {
    const NetworkState taken(std::make_move_iterator(state.end() - count),
                             std::make_move_iterator(state.end()));
    state.resize(state.size() - static_cast<std::size_t>(count));
    for (at::Tensor& made : run(taken)) state.push_back(std::move(made));
  });
}

at::Tensor NetworkBuilder::parameter(const std::string& name, const std::vector<int>& shape,
                                     const WeightRange& range) {
  const at::Tensor tensor = network_->register_parameter(name, empty(shape), /*requires_grad=*/false);
  network_->drawn_.push_back({name, tensor, range});
  return tensor;
}

at::Tensor NetworkBuilder::drawn_buffer(const std::string& name, const std::vector<int>& shape,
                                        const WeightRange& range) {
  const at::Tensor tensor = network_->register_buffer(name, empty(shape));
  network_->drawn_.push_back({name, tensor, range});
  return tensor;
}

at::Tensor NetworkBuilder::constant(const std::string& name, const at::Tensor& value) {
  return network_->register_buffer(name, value);
}

void NetworkBuilder::conv(const std::string& name, const ConvShape& shape) {
  const int in = shape.in / shape.groups;
  const int fan_in = in * shape.kernel[0] * shape.kernel[1];
  const auto conv = std::make_shared<FoldableConv>();
  conv->weight = parameter(name + "_weight", {shape.out, in, shape.kernel[0], shape.kernel[1]},
                           range_of_variance(2.0 / fan_in));
  if (shape.bias) conv->bias = parameter(name + "_bias", {shape.out}, kBiasRange);
  const bool is_first = network_->stages_.empty();  // images are float, whatever the weights are
  layer(name, [conv, shape, is_first](const at::Tensor& x) {
    const std::array<std::int64_t, 2> stride{shape.stride[0], shape.stride[1]};
    const std::array<std::int64_t, 2> padding{shape.padding[0], shape.padding[1]};
    const std::array<std::int64_t, 2> dilation{1, 1};
    const at::Tensor input = is_first ? x.to(conv->weight.scalar_type()) : x;
    return activated(at::conv2d(input, conv->weight, conv->bias, at::IntArrayRef(stride),
                                at::IntArrayRef(padding), at::IntArrayRef(dilation), shape.groups),
                     conv->activation);
  });
  if (!shape.bias) last_conv_ = conv;
}

void NetworkBuilder::norm(const std::string& name, const NormShape& shape) {
  const std::vector<int> channels{shape.channels};
  const auto gain = static_cast<float>(shape.gain);
  const auto scale_or_shift = [&](const char* what, const WeightRange& range) {
    return shape.frozen ? drawn_buffer(name + what, channels, range)
                        : parameter(name + what, channels, range);
  };
  const at::Tensor weight = scale_or_shift("_weight", {gain, 0.1F * gain});
  const at::Tensor bias = scale_or_shift("_bias", kBiasRange);
  const at::Tensor mean = drawn_buffer(name + "_mean", channels, {0, 0.1F});
  const at::Tensor variance = drawn_buffer(name + "_variance", channels, {1, 0.25F});
  const auto conv = moves_.empty() ? last_conv_ : nullptr;
  if (conv) {
    network_->folds_.emplace_back(
        [=, network = network_.get(), epsilon = shape.epsilon, act = shape.activation] {
          const at::Tensor scale = weight / at::sqrt(variance + epsilon);
          conv->fold(scale, network->register_buffer(name + "_shift", bias - mean * scale), act);
        });
  }
  layer(name, [=, epsilon = shape.epsilon, act = shape.activation](const at::Tensor& x) {
    if (conv && conv->is_folded) return x;
    return activated(at::batch_norm(x, weight, bias, mean, variance, /*training=*/false, /*momentum=*/0,
                                    epsilon, /*cudnn_enabled=*/true),
                     act);
  });
}

void NetworkBuilder::conv_norm(const std::string& name, const ConvShape& conv_shape, NormShape norm_shape) {
  norm_shape.channels = conv_shape.out;
  conv(name + "_conv", conv_shape);
  norm(name + "_norm", norm_shape);
}

void NetworkBuilder::linear(const std::string& name, int in, int out, bool bias) {
  const at::Tensor weight = parameter(name + "_weight", {out, in}, range_of_variance(1.0 / in));
  const at::Tensor shift = bias ? parameter(name + "_bias", {out}, kBiasRange) : at::Tensor();
  layer(name, [weight, shift](const at::Tensor& x) { return at::linear(x, weight, shift); });
}

void NetworkBuilder::layer_norm(const std::string& name, int width, double epsilon) {
  const at::Tensor weight = parameter(name + "_weight", {width}, {1, 0.1F});
  const at::Tensor bias = parameter(name + "_bias", {width}, kBiasRange);
  layer(name, [=](const at::Tensor& x) { return at::layer_norm(x, {width}, weight, bias, epsilon); });
}

void NetworkBuilder::activation(const std::string& name, Activation act) {
  layer(name, [act](const at::Tensor& x) { return activation_of(x, act); });
}

void NetworkBuilder::max_pool(const std::string& name, const PoolShape& shape) {
  layer(name, [shape](const at::Tensor& x) {
    return at::max_pool2d(x, shape.kernel, shape.stride, shape.padding, /*dilation=*/1, shape.ceil);
  });
}

void NetworkBuilder::average_pool(const std::string& name, const PoolShape& shape) {
  layer(name, [shape](const at::Tensor& x) {
    return at::avg_pool2d(x, shape.kernel, shape.stride, shape.padding, shape.ceil, shape.count_padding);
  });
}

void NetworkBuilder::adaptive_pool(const std::string& name, int size) {
  layer(name, [size](const at::Tensor& x) { return at::adaptive_avg_pool2d(x, {size, size}); });
}

void NetworkBuilder::flatten(const std::string& name) {
  layer(name, [](const at::Tensor& x) { return at::flatten(x, 1); });
}

void NetworkBuilder::upsample(const std::string& name) {
  layer(name, [](const at::Tensor& x) {
    const std::array<std::int64_t, 2> size{2 * x.size(2), 2 * x.size(3)};
    return at::upsample_nearest2d(x, at::IntArrayRef(size));
  });
}

void NetworkBuilder::concat(const std::string& name, int count) {
  stage(name, count, [](const NetworkState& parts) { return NetworkState{at::cat(parts, 1)}; });
}

void NetworkBuilder::add(const std::string& name, Activation act) {
  stage(name, 2, [act](const NetworkState& terms) {
    return NetworkState{activated(at::add(terms[0], terms[1]), act)};
  });
}

void NetworkBuilder::multiply(const std::string& name) {
  stage(name, 2, [](const NetworkState& factors) { return NetworkState{at::mul(factors[0], factors[1])}; });
}

ConvShape same_conv(int in, int out, int kernel, int stride) {
  const int padding = kernel / 2;
  return {.in = in,
          .out = out,
          .kernel = {kernel, kernel},
          .stride = {stride, stride},
          .padding = {padding, padding}};
}

}  // namespace harness
