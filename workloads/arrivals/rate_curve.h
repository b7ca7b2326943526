// A rate over time, and the transformations that lead from a recorded trace to the replayed load.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random.h"
#include "harness/core/types.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

// The random numbers from which loads are drawn: an index with given probabilities, gaps of a Poisson
// process.

// Exponential gaps of mean 1, made in blocks: three times as fast as RandomStream::exponential, the same
// bits.

/// Yields the same numbers as RandomStream::exponential on the same stream.
class ExponentialGaps {
 public:
  explicit ExponentialGaps(const RandomStream& random) : random_(random) {}

  double next() {
    if (used_ == block_.size()) fill();
    return block_[used_++];
  }

 private:
  void fill() {
    for (double& value : block_) value = random_.uniform_positive();
    for (double& value : block_) value = -log_of(value);
    used_ = 0;
  }

  /// portable_log (core/random.cc) without its branch, so that a loop over it can be vectorised.
  static double log_of(double x) {
    constexpr std::uint64_t kRootHalf =
        0x3fe6a09e667f3bceULL;  // the bits of the least mantissa, sqrt(1/2) rounded up
    constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
    const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
    const int exponent = static_cast<int>(shifted >> 52) - 1023;
    const double mantissa = std::bit_cast<double>((shifted & 0x000fffffffffffffULL) + kRootHalf);
    const double f = (mantissa - 1.0) / (mantissa + 1.0);
    const double f2 = f * f;
    double series = 1.0 / 21.0;
    for (int odd = 19; odd >= 3; odd -= 2) series = series * f2 + 1.0 / odd;
    const double log_mantissa = 2.0 * f + 2.0 * f * f2 * series;
    return static_cast<double>(exponent) * 0.6931471805599453 + log_mantissa;
  }

  RandomStream random_;
  std::array<double, 64> block_{};
  std::size_t used_ = 64;
};

class AliasTable {
 public:
  /// Makes draw() return index i in proportion to weights[i] >= 0; at least one must be positive, at most
  /// 2^32 are given.
  void build(std::span<const double> weights);

  /// Draws an index with one random number: its high part chooses the column, the low part one of the
  /// column's two indices.
  std::uint32_t draw(RandomStream& random) const {
    __extension__ using Wide = unsigned __int128;
    const Wide place = static_cast<Wide>(random.bits()) * columns_.size();
    const auto index = static_cast<std::uint32_t>(place >> 64);
    const Column& column = columns_[index];
    return static_cast<std::uint64_t>(place) < column.own ? index : column.other;
  }

 private:
  struct Column {
    std::uint64_t own = 0;    ///< share of the column that yields its own index, of 2^64
    std::uint32_t other = 0;  ///< index that the rest of the column yields
  };

  std::vector<Column> columns_;
  // Kept between builds so that they allocate once.
  std::vector<double> shares_;
  std::vector<std::uint32_t> small_;
  std::vector<std::uint32_t> large_;
};

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

/// A curve in replayed time and the length of its replay. If that is longer, no requests come after the
/// curve's end.
struct Replay {
  RateCurve curve;
  double duration_s = 0;
};

/// Takes the steps of TraceSpec (see there) from `source` (counts or rates in source time, already sliced) to
/// the target rate. `smooths` says that the curve is smoothed first.
Replay replay_of(const TraceSpec& spec, RateCurve source, bool smooths, double target_rps);

/// Returns the part [from_s, to_s) of a curve in whole bins; to_s = 0 is the end. Throws InputError if
/// nothing is left.
RateCurve sliced(const TraceSpec& spec, const RateCurve& source);

// The rate curves of the generated shapes, in source time.

/// Returns the rate of shape wiki, tweet or azure over [from_s, from_s + length_s) of source time (in whole
/// bins from the one that holds from_s), in the units of the real file to which it was fitted (requests per
/// source second). Any length is possible. A source time has the same rate in any window (within 0.1 %: noise
/// forgets the values of more than 64 steps before). All randomness comes from `seed`.
///
/// wiki, in hourly bins: the mean by hour of the day, times a factor by day of the week, times log-normal
/// noise of 13 % with a correlation of 0.88 from hour to hour.
///
/// tweet, in bins of 1 s: the mean by hour of the day in straight lines, times the jump after each full hour
/// (+30 % for 2.5 s, +17 % for about 90 s; a third of that after each half hour), times noise of 1.4 % with a
/// correlation of 0.75 from minute to minute.
///
/// azure, in bins of 60 s: the mean by hour of the day in straight lines, times a factor by day of the week,
/// times noise of 5 % from minute to minute.
///
/// The rates carry no counting noise: that comes with the requests.
RateCurve fitted_curve(const std::string& shape, double from_s, double length_s, std::uint64_t seed);

}  // namespace harness
