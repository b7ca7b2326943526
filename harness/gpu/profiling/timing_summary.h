// Statistics of the timings of one thing: quantiles, and how well the median is known.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// The statistics of repeated timings of one thing. A quantile is the least value that at least this share of
/// all values does not exceed (nearest rank); the median of an even number is the mean of the middle two,
/// rounded.
struct TimingSummary {
  std::size_t repeats = 0;
  TimeNs median_ns = 0;
  TimeNs p10_ns = 0;
  TimeNs p90_ns = 0;
  TimeNs p99_ns = 0;
  TimeNs mean_ns = 0;  ///< mean, rounded down; above the median if a few take much longer
  /// The half-width of the median's 95 % confidence interval, (x(high) - x(low)) / 2; nullopt below 6 values.
  std::optional<TimeNs> half_width_ns;

  /// Returns the half-width as a share of the median; infinite if there is no half-width.
  double half_width_share() const;
};

/// Summarises `times`: in any order, at least one, all positive.
TimingSummary summary_of(std::span<const TimeNs> times);

/// Returns the median alone; `times` are in any order, at least one.
TimeNs median_of(std::span<const TimeNs> times);

/// The ranks, counted from 1, of two of n sorted values between which the median lies with a probability of
/// at least 95 %.
struct MedianRanks {
  std::size_t low = 0;
  std::size_t high = 0;
};

/// Returns the ranks for n independent values. The number of values below the median follows Bin(n, 1/2). So
///     P(x(j) <= median <= x(n + 1 - j)) = 1 - 2 P(Bin(n, 1/2) <= j - 1),
/// with equality for continuous distributions and "at least" otherwise. low is the largest j for which this
/// is at least 0.95, high = n + 1 - j (Conover, Practical Nonparametric Statistics, section 3.2). Returns
/// nullopt below 6 values: even the least and the greatest of five enclose it in only 94 %.
std::optional<MedianRanks> median_ranks(std::size_t n);

}  // namespace harness
