// The median of repeated timings and how well it is known, whatever their distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// Two of the n sorted values, counted from 1, between which the median lies with at least 95 %.
struct MedianRanks {
  std::size_t low = 0;
  std::size_t high = 0;
};

/// Of n independent values, as many lie below the median as Bin(n, 1/2) says. So
///     P(x(j) <= median <= x(n + 1 - j)) = 1 - 2 P(Bin(n, 1/2) <= j - 1),
/// with equality for continuous distributions and "at least" otherwise. low is the largest j for which this
/// is at least 0.95, high = n + 1 - j (Conover, Practical Nonparametric Statistics, section 3.2). Nothing
/// below 6 values: even the least and the greatest of five enclose it in only 94 %.
std::optional<MedianRanks> median_ranks(std::size_t n);

/// Repeated timings of one thing in numbers. Quantiles are the least value that at least that share of all
/// values reach (nearest rank); the median of an even number is the mean of the middle two, rounded.
struct TimingSummary {
  std::size_t repeats = 0;
  TimeNs median_ns = 0;
  TimeNs p10_ns = 0;
  TimeNs p90_ns = 0;
  TimeNs p99_ns = 0;
  TimeNs mean_ns = 0;  ///< rounded down; above the median where a few take much longer
  /// Of the 95 % interval of the median, (x(high) - x(low)) / 2. Nothing below 6 values.
  std::optional<TimeNs> half_width_ns;

  /// The half-width as a share of the median; infinite when there is none.
  double half_width_share() const;
};

/// `times` in any order, at least one, all positive.
TimingSummary summary_of(std::span<const TimeNs> times);

/// The median alone; `times` in any order, at least one.
TimeNs median_of(std::span<const TimeNs> times);

}  // namespace harness
