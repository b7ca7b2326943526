// Timing of several things, often enough, and in an order that favours no thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/profiling/timing_summary.h"

namespace harness {

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
