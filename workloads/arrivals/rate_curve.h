// A rate over time.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Requests per second, constant within bins of equal length from time 0 on.
struct RateCurve {
  double bin_s = 1;
  std::vector<double> rps;

  double length_s() const { return bin_s * static_cast<double>(rps.size()); }
  bool operator==(const RateCurve&) const = default;
};

/// The largest number of bins of a curve (400 MB).
inline constexpr std::size_t kMaxBins = 50'000'000;

/// Returns `s` in bins. A quotient that rounding put beside a whole number (0.3 / 0.1, 1.1 / 0.1) becomes
/// that number.
double bins_of(double s, double bin_s);
/// Returns the bin of a time from 0 on: exact for bins of whole nanoseconds, else by bins_of().
std::size_t bin_of(TimeNs time, double bin_s);

/// Returns the centred moving mean over the odd number of bins nearest to window_s / bin_s (at least 1); at
/// the ends, over the bins that exist.
RateCurve smoothed(const RateCurve& curve, double window_s);

/// Cuts each bin into `parts`. The rate then runs in a straight line from the middle of one bin to the middle
/// of the next, and is constant before the first and after the last.
RateCurve interpolated(const RateCurve& curve, int parts);

/// Returns the mean over [0, duration_s). After the end of the curve the rate is 0.
double mean_rps(const RateCurve& curve, double duration_s);
/// Returns the highest mean over a whole second [k, k + 1) within [0, duration_s), or the mean if that holds
/// no whole second.
double peak_rps(const RateCurve& curve, double duration_s);

/// Returns the index of dispersion of the counts around their moving mean over window_s: 1 for Poisson
/// counts, more for bursts. Returns 1 if the window holds a single bin.
double dispersion(const RateCurve& counts, double window_s);
/// True if counts are no more uneven than Poisson noise: their dispersion is at most 1.1, or at most three
/// standard deviations (of as many Poisson counts' dispersion) above 1.
bool is_poisson_noise(const RateCurve& counts, double window_s);

}  // namespace harness
