// The time that an instance stays warm when it has nothing to do: INFless's long- and short-term histograms
// of idle times (ASPLOS'22), here of a function's instances.
#pragma once

#include "harness/core/types.h"
#include "systems/infless/idle_histogram.h"

namespace harness {

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
