// What is made of timings: medians and how well they are known, repeats until they are, a line through them.
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

/// The clock of a device's times, and how to wait: the profiler's world, which tests replace by virtual time.
class DeviceWait {
 public:
  virtual ~DeviceWait() = default;
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;

  /// The clock of BatchEnd's times.
  virtual TimeNs now_ns() const = 0;
  virtual void sleep_until(TimeNs time_ns) = 0;
  /// Returns when the device has called its Wake since the last call, or at `deadline_ns`.
  virtual void wait_for_device(TimeNs deadline_ns) = 0;

 protected:
  DeviceWait() = default;
};

/// On the wall clock. To outlive the device that has its wake().
class SteadyWait final : public DeviceWait {
 public:
  /// For the device: any thread may call it.
  Device::Wake wake();

  TimeNs now_ns() const override;
  void sleep_until(TimeNs time_ns) override;
  void wait_for_device(TimeNs deadline_ns) override;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

// The line that serving papers put through a profile: latency = alpha b + beta (SHEPHERD, Eq. 1).

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
  /// Of the 95 % confidence interval of the median, (x(high) - x(low)) / 2. Nothing below 6 values.
  std::optional<TimeNs> half_width_ns;

  /// The half-width as a share of the median; infinite when there is none.
  double half_width_share() const;
};

/// `times` in any order, at least one, all positive.
TimingSummary summary_of(std::span<const TimeNs> times);

/// The median alone; `times` in any order, at least one.
TimeNs median_of(std::span<const TimeNs> times);

// Timing several things often enough, and in an order in which none has the better moments.

/// When the timing may stop.
struct RepeatRule {
  double half_width = 0.02;        ///< of every median's 95 % confidence interval, as a share of the median
  int warm_up = 3;                 ///< runs of each before the first that counts
  int least_rounds = 10;           ///< at least 6
  int most_rounds = 1000;          ///< at least least_rounds
  TimeNs limit_ns = 60 * kNsPerS;  ///< warm-up included; the first round is finished whatever it takes
  std::uint64_t seed = 1;          ///< of the order
};

enum class StoppedBy : std::uint8_t { kNarrow, kRounds, kTime };
/// "narrow", "rounds", "time".
const char* name_of(StoppedBy reason);

/// The times of every round: as many of each thing.
struct RepeatedTimes {
  std::vector<std::vector<TimeNs>> times;  ///< [thing][round]
  StoppedBy stopped_by = StoppedBy::kNarrow;

  TimingSummary summary(std::size_t thing) const { return summary_of(times[thing]); }
  /// How much slower (above 0) or faster the second half of the rounds was than the first: the mean over the
  /// things of the ratio of the medians of both halves, less 1. 0 below 2 rounds.
  double drift() const;
};

/// Times `things` things by `time_once(i)`, which returns how long it took, above 0. Round by round: in each,
/// every thing is timed once, in an order drawn again, until the half-width of every median is within the
/// rule. None leaves the rounds earlier, so that a machine which grows slower (heat, neighbours) makes all of
/// them slower alike, and ratios between them stay right.
///
/// Looking at an interval after each value and stopping at the first narrow one would make it too narrow too
/// often. So the rule is looked at when the rounds have grown by a quarter since it was last; what is left of
/// the effect vanishes as intervals become narrower (Chow and Robbins, 1965). Lognormal noise of 2, 5 and 20
/// % stopped at half-widths of 1 and 2 % was covered in 94 to 96 % of 2,000 runs each.
///
/// `now_ns` reads the clock that the limit counts on. What `time_once` throws passes through.
RepeatedTimes time_repeatedly(std::size_t things, const std::function<TimeNs(std::size_t)>& time_once,
                              const RepeatRule& rule, const std::function<TimeNs()>& now_ns);

}  // namespace harness
