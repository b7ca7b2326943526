#include "harness/gpu/profiling/latency_fit.h"

#include <cmath>
#include <cstddef>

#include "harness/core/check.h"

namespace harness {

std::optional<LatencyFit> fit_latency(std::span<const int> batches, std::span<const TimeNs> latency_ns) {
  HARNESS_CHECK(batches.size() == latency_ns.size(), "a latency for each batch size");
  const std::size_t n = batches.size();
  double mean_b = 0;
  double mean_d = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_b += batches[i] / static_cast<double>(n);
    mean_d += static_cast<double>(latency_ns[i]) / static_cast<double>(n);
  }
  double bb = 0;
  double bd = 0;
  double dd = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double b = batches[i] - mean_b;
    const double d = static_cast<double>(latency_ns[i]) - mean_d;
    bb += b * b;
    bd += b * d;
    dd += d * d;
  }
  if (n < 2 || bb <= 0) return std::nullopt;
  LatencyFit fit;
  fit.alpha_ns = bd / bb;
  fit.beta_ns = mean_d - fit.alpha_ns * mean_b;
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto latency = static_cast<double>(latency_ns[i]);
    const double error = std::abs(fit.at(batches[i]) - latency);
    left += error * error;
    if (fit.largest_error_batch != 0 && error / latency <= fit.largest_error) continue;
    fit.largest_error = error / latency;
    fit.largest_error_batch = batches[i];
  }
  if (dd > 0) fit.r2 = 1 - left / dd;
  return fit;
}

}  // namespace harness
