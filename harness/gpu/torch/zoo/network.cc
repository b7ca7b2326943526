#include "harness/gpu/torch/zoo/network.h"

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "harness/core/error.h"
#include "harness/gpu/torch/zoo/random_weights.h"

namespace harness {

WeightRange range_of_variance(double variance) { return {0, static_cast<float>(std::sqrt(3 * variance))}; }

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

}  // namespace harness
