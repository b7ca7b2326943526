#include "harness/gpu/torch/zoo/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstddef>
#include <span>
#include <utility>

#include "harness/core/check.h"

namespace harness {

Network::Network(std::string name) : torch::nn::Module(std::move(name)) {}

at::Tensor Network::forward(const at::Tensor& input) const {
  const at::NoGradGuard no_gradients;
  NetworkState state{input};
  for (const Stage& stage : stages_) stage.run(state);
  HARNESS_CHECK(state.size() == 1, "a network ends with one tensor");
  return state.front();
}

std::int64_t Network::parameter_count() const {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

void Network::fill_weights(std::uint64_t seed) {
  for (DrawnWeight& weight : drawn_) {
    HARNESS_CHECK(weight.tensor.is_cpu() && weight.tensor.scalar_type() == at::kFloat,
                  "weights are filled on the CPU");
    const std::span<float> values(weight.tensor.data_ptr<float>(),
                                  static_cast<std::size_t>(weight.tensor.numel()));
    fill_uniform(values, seed, weight.name, weight.range.centre, weight.range.half_width);
  }
}

void Network::fold_norms() {
  const at::NoGradGuard no_gradients;
  for (const std::function<void()>& fold : folds_) fold();
  folds_.clear();
}

void convert_weights(const std::vector<at::Tensor>& weights, at::ScalarType type) {
  constexpr int kConvolutionDimensions = 4;
  for (const at::Tensor& weight : weights) {
    if (!weight.is_floating_point()) continue;
    const bool is_half = type == at::kHalf || type == at::kBFloat16;
    const bool is_last = is_half && weight.dim() == kConvolutionDimensions;
    const at::Tensor made = weight.detach().to(type);
    weight.set_data(is_last ? made.contiguous(at::MemoryFormat::ChannelsLast) : made);
  }
}

}  // namespace harness
