// The line that serving papers put through a profile: latency = alpha b + beta (SHEPHERD, Eq. 1).
#pragma once

#include <optional>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// alpha_ns b + beta_ns, and how far the measured latencies are from it.
struct LatencyFit {
  double alpha_ns = 0;  ///< for each visit of a batch
  double beta_ns = 0;   ///< for each batch; below 0 where latency grows faster than a line
  /// 1 - (squares of what is left) / (squares of the deviations from the mean); 1 when all latencies are the
  /// same and the line goes through them.
  double r2 = 1;
  double largest_error = 0;     ///< |line - latency| / latency where that is largest
  int largest_error_batch = 0;  ///< there

  double at(int batch) const { return alpha_ns * batch + beta_ns; }
};

/// Least squares, each measured size with the same weight: with sums over the sizes,
///     alpha = sum (b - mean b)(d - mean d) / sum (b - mean b)^2,   beta = mean d - alpha mean b.
/// `latency_ns[i]` > 0 belongs to `batches[i]`; as many of both. Nothing below two different sizes.
std::optional<LatencyFit> fit_latency(std::span<const int> batches, std::span<const TimeNs> latency_ns);

}  // namespace harness
