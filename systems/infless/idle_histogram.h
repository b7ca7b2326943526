// A histogram of the times for which a function's instances had nothing to do (INFless, ASPLOS'22).
#pragma once

#include <cstddef>
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

}  // namespace harness
