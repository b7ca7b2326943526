// Timing several things often enough, and in an order in which none has the better moments.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/median_interval.h"

namespace harness {

/// When the timing may stop.
struct RepeatRule {
  double half_width = 0.02;        ///< of every median's 95 % interval, as a share of the median
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
/// every thing is timed once, in an order drawn anew, until the half-width of every median is within the
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
