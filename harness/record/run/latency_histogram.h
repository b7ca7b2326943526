// Quantiles of durations without keeping every duration: a log-linear histogram with a stated error.
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Counts durations in buckets of equal width within each power of two. A quantile read from it is never
/// below the value that an exact sort would give and exceeds it by less than kRelativeError of that value, or
/// kResolutionNs if that is more (below 4 us).
class LatencyHistogram {
 public:
  static constexpr int kSubBits = 7;
  static constexpr double kRelativeError = 1.0 / (1 << kSubBits);
  static constexpr TimeNs kResolutionNs = 32;

  void add(TimeNs value, std::uint64_t count = 1) {
    const std::size_t bucket = bucket_of(value);
    if (bucket >= counts_.size()) [[unlikely]]
      grow(bucket + 1);
    counts_[bucket] += count;
  }

  /// Adds the counts() of another histogram.
  void add_all(const std::vector<std::uint64_t>& counts);
  /// Subtracts the counts() of a histogram whose values are a part of this one's.
  void remove_all(const std::vector<std::uint64_t>& counts);

  std::uint64_t total() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }
  /// Returns the value of rank_of_quantile(total(), q) for q in [0, 1]; 0 if the histogram is empty.
  TimeNs quantile(double q) const;
  /// Returns the value of that rank, which is from 1 to total().
  TimeNs of_rank(std::uint64_t rank) const;
  /// Returns the upper edge of a bucket; the buckets are in rising order.
  static TimeNs upper_edge(std::size_t bucket);
  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  void grow(std::size_t buckets);

  static constexpr int kShift = 12;
  static_assert(kResolutionNs == TimeNs{1} << (kShift - kSubBits));

  static std::size_t bucket_of(TimeNs value) {
    const auto scaled = static_cast<std::uint64_t>(value < 0 ? 0 : value) >> (kShift - kSubBits);
    if (scaled < (2ULL << kSubBits)) return static_cast<std::size_t>(scaled);
    const int exponent = static_cast<int>(std::bit_width(scaled)) - 1 - kSubBits;
    return (static_cast<std::size_t>(exponent) << kSubBits) + static_cast<std::size_t>(scaled >> exponent);
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace harness
