// The line that papers on serving put through a profile: latency = alpha b + beta (SHEPHERD, Eq. 1).
#pragma once

#include <optional>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// The line alpha_ns b + beta_ns, and how far the measured latencies are from it.
struct LatencyFit {
  double alpha_ns = 0;  ///< time for each visit of a batch
  double beta_ns = 0;   ///< time for each batch; below 0 if latency grows faster than a line
  /// The coefficient of determination: 1 - (sum of squared residuals) / (sum of squared deviations from the
  /// mean); 1 if all latencies are the same and the line goes through them.
  double r2 = 1;
  double largest_error = 0;     ///< largest |line - latency| / latency
  int largest_error_batch = 0;  ///< batch size with the largest error

  double at(int batch) const { return alpha_ns * batch + beta_ns; }
};

/// Fits a line by least squares, with the same weight for each measured size: with sums over the sizes,
///     alpha = sum (b - mean b)(d - mean d) / sum (b - mean b)^2,   beta = mean d - alpha mean b.
/// `latency_ns[i]` > 0 belongs to `batches[i]`; both have the same length. Returns nullopt if there are not
/// two different sizes.
std::optional<LatencyFit> fit_latency(std::span<const int> batches, std::span<const TimeNs> latency_ns);

}  // namespace harness
