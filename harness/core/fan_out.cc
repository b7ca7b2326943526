#include "harness/core/fan_out.h"

#include <algorithm>
#include <cmath>

#include "harness/core/hash.h"
#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Returns the distribution function of a Poisson variable, as far as a double can tell it from 1.
std::vector<double> poisson(double mean) {
  std::vector<double> up_to;
  double probability = portable_exp(-mean);
  double sum = probability;
  up_to.push_back(sum);
  for (int count = 1; sum < 1 && (count < mean || probability > 1e-18); ++count) {
    probability *= mean / count;
    sum += probability;
    up_to.push_back(std::min(sum, 1.0));
  }
  return up_to;
}

std::vector<double> rounded(double mean) {
  const double below = std::floor(mean);
  std::vector<double> up_to(static_cast<std::size_t>(below), 0.0);
  up_to.push_back(1 - (mean - below));
  return up_to;
}

}  // namespace

FanOut::FanOut(const Pipeline& pipeline, std::uint64_t seed) : seed_(seed) {
  if (!pipeline.has_tasks()) return;
  for (const Module& module : pipeline.modules) {
    std::vector<std::vector<double>>& by_sub = cumulative_.emplace_back();
    for (const double mean : module.fan_out)
      by_sub.push_back(pipeline.fixed_fan_out ? rounded(mean) : poisson(mean));
  }
}

std::uint64_t FanOut::first_key(RequestId request) const {
  return RandomStream(seed_, "fan_out", request).bits();
}

std::uint64_t FanOut::child_key(std::uint64_t key, std::size_t sub, std::uint32_t child) {
  return mix64(key + 0x9e3779b97f4a7c15ULL * (1 + (static_cast<std::uint64_t>(sub) << 32) + child));
}

std::uint32_t FanOut::children(ModuleId module, std::size_t sub, std::uint64_t key) const {
  const std::vector<double>& up_to = cumulative_[module][sub];
  const std::uint64_t bits = mix64(key ^ mix64(sub + 1));
  const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<std::uint32_t>(std::upper_bound(up_to.begin(), up_to.end(), uniform) - up_to.begin());
}

}  // namespace harness
