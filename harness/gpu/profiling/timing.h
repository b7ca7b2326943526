// Statistics of timings: medians and how well they are known, repeats until they are, a line through them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/device/device.h"

namespace harness {

// Waiting for a device in a program that has nothing else to do.

/// The clock of a device's times, and ways to wait on it; tests replace it by virtual time.
class DeviceWait {
 public:
  virtual ~DeviceWait() = default;
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;

  /// Returns the time on the clock of BatchEnd's times.
  virtual TimeNs now_ns() const = 0;
  virtual void sleep_until(TimeNs time_ns) = 0;
  /// Returns when the device has called its Wake since the last call, or at `deadline_ns`.
  virtual void wait_for_device(TimeNs deadline_ns) = 0;

 protected:
  DeviceWait() = default;
};

/// Waits on the wall clock. It must outlive the device that has its wake().
class SteadyWait final : public DeviceWait {
 public:
  /// Returns the function that the device calls; any thread may call it.
  Device::Wake wake();

  TimeNs now_ns() const override;
  void sleep_until(TimeNs time_ns) override;
  void wait_for_device(TimeNs deadline_ns) override;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

// The line that papers on serving put through a profile: latency = alpha b + beta (SHEPHERD, Eq. 1).

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

// Timing of several things, often enough, and in an order that favours no thing.

/// The rule that tells when the timing may stop.
struct RepeatRule {
  /// The widest half-width of a median's 95 % confidence interval, as a share of the median.
  double half_width = 0.02;
  int warm_up = 3;                 ///< number of runs of each thing before the first that counts
  int least_rounds = 10;           ///< least number of rounds, at least 6
  int most_rounds = 1000;          ///< largest number of rounds, at least least_rounds
  TimeNs limit_ns = 60 * kNsPerS;  ///< limit of time, warm-up included; the first round is always finished
  std::uint64_t seed = 1;          ///< seed of the order
};

enum class StoppedBy : std::uint8_t { kNarrow, kRounds, kTime };
/// Returns "narrow", "rounds" or "time".
const char* name_of(StoppedBy reason);

/// The times of every round: each thing has the same number.
struct RepeatedTimes {
  std::vector<std::vector<TimeNs>> times;  ///< times by [thing][round]
  StoppedBy stopped_by = StoppedBy::kNarrow;

  TimingSummary summary(std::size_t thing) const { return summary_of(times[thing]); }
  /// Returns how much slower (above 0) or faster the second half of the rounds was than the first: the mean
  /// over the things of the ratio of both halves' medians, less 1. Returns 0 below 2 rounds.
  double drift() const;
};

/// Times `things` things by `time_once(i)`, which returns how long thing i took, above 0. In each round every
/// thing is timed once, in an order drawn again, until the half-width of every median is within the rule. All
/// things are timed to the last round, so that a machine which grows slower (heat, neighbours) makes all of
/// them slower alike, and ratios between them stay right.
///
/// Looking at an interval after each value and stopping at the first narrow one would make it too narrow too
/// often. So the rule is checked only after the number of rounds has grown by a quarter since the last check;
/// what is left of the effect vanishes as intervals become narrower (Chow and Robbins, 1965). With lognormal
/// noise of 2, 5 and 20 % and stops at half-widths of 1 and 2 %, the median was covered in 94 to 96 % of
/// 2,000 runs each.
///
/// `now_ns` reads the clock that the limit counts on. Exceptions of `time_once` pass through.
RepeatedTimes time_repeatedly(std::size_t things, const std::function<TimeNs(std::size_t)>& time_once,
                              const RepeatRule& rule, const std::function<TimeNs()>& now_ns);

}  // namespace harness
