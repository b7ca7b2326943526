// The time that an instance stays warm when it has nothing to do: INFless's long- and short-term histograms
// of idle times (ASPLOS'22), here of a function's instances.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The idle times that ended within a window of time, in steps of a second; times above four hours count as
/// four hours.
class IdleHistogram {
 public:
  explicit IdleHistogram(TimeNs window_ns) : window_ns_(window_ns) {}

  /// Adds an idle time that ended at `now`. Calls come in the order of `now`.
  void add(TimeNs now, TimeNs idle_ns);
  /// Forgets the idle times that ended longer ago than the window.
  void forget(TimeNs now);
  bool empty() const { return ended_.empty(); }
  /// Returns the least number of seconds that 99 % of the idle times do not exceed. There must be at least
  /// one.
  TimeNs percentile_99_ns() const;

 private:
  struct Ended {
    TimeNs at_ns = 0;
    std::size_t step = 0;
  };
  TimeNs window_ns_;
  std::deque<Ended> ended_;
  std::vector<std::uint32_t> counts_;  ///< number of idle times in each step
};

/// The idle times of one function, from which its keep-alive time follows: half the 99th percentile over 24
/// hours plus half the 99th percentile over the last hour.
class IdleTimes {
 public:
  /// Adds an idle time that ended at `now`, a whole number of periods. Calls come in the order of `now`.
  void add(TimeNs now, TimeNs idle_ns);
  /// Returns the keep-alive time: `otherwise_ns` if no idle time is known, the whole percentile over 24 hours
  /// if no idle time ended in the last hour.
  TimeNs keep_alive_ns(TimeNs now, TimeNs otherwise_ns);

 private:
  IdleHistogram long_{24 * 3600 * kNsPerS};
  IdleHistogram short_{3600 * kNsPerS};
};

}  // namespace harness
