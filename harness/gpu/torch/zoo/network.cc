#include "harness/gpu/torch/zoo/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace harness {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

/// Returns the upper 24 bits of `bits`, which a float holds exactly, as a number in [-1, 1).
float symmetric(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 8) - (1 << 23)) * 0x1p-23F;
}

}  // namespace

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

void fill_uniform(std::span<float> values, std::uint64_t seed, std::string_view name, float centre,
                  float half_width) {
  const std::uint64_t key = mix64(mix64(seed + kGolden) ^ hash_text(name));
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    const std::uint64_t bits = mix64(key + kGolden * ++count);
    values[i] = centre + half_width * symmetric(static_cast<std::uint32_t>(bits >> 32));
    values[i + 1] = centre + half_width * symmetric(static_cast<std::uint32_t>(bits));
  }
  if (i < values.size())
    values[i] =
        centre + half_width * symmetric(static_cast<std::uint32_t>(mix64(key + kGolden * ++count) >> 32));
}

}  // namespace harness
