// How long an instance that has nothing to do stays warm: INFless's long- and short-term histograms of idle
// times (ASPLOS'22), here of a function's instances.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The idle times that ended within a window of time, in steps of a second; those above four hours count as
/// four hours.
class IdleHistogram {
 public:
  explicit IdleHistogram(TimeNs window_ns) : window_ns_(window_ns) {}

  /// In order of `now`.
  void add(TimeNs now, TimeNs idle_ns);
  /// Forgets what ended longer ago than the window.
  void forget(TimeNs now);
  bool empty() const { return ended_.empty(); }
  /// The least number of seconds that 99 % of them do not exceed. There is at least one.
  TimeNs percentile_99_ns() const;

 private:
  struct Ended {
    TimeNs at_ns = 0;
    std::size_t step = 0;
  };
  TimeNs window_ns_;
  std::deque<Ended> ended_;
  std::vector<std::uint32_t> counts_;  ///< by step
};

/// Of one function: half the 99th percentile over 24 hours and half that over the last hour.
class IdleTimes {
 public:
  /// Idle times are whole numbers of periods; in order of `now`.
  void add(TimeNs now, TimeNs idle_ns);
  /// `otherwise_ns` where none is known; that over 24 hours where the last hour had none.
  TimeNs keep_alive_ns(TimeNs now, TimeNs otherwise_ns);

 private:
  IdleHistogram long_{24 * 3600 * kNsPerS};
  IdleHistogram short_{3600 * kNsPerS};
};

}  // namespace harness
