// How exactly this machine wakes a thread that sleeps until a time.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/live/machine_checks.h"

namespace harness {

/// How long after its time a sleep ended.
struct Overshoot {
  TimeNs p50_ns = 0;
  TimeNs p99_ns = 0;
  TimeNs max_ns = 0;
};

/// Of at least one value; nearest ranks.
Overshoot overshoot_of(std::vector<TimeNs> lateness_ns);

/// Sleeps `times` times until a time `period_ns` later. Blocks for about their product.
Overshoot measure_sleeps(int times, TimeNs period_ns);

/// Both ways of sleeping; the calling thread's timer slack is as before afterwards.
struct SleepFindings {
  TimeNs usual_slack_ns = -1;  ///< -1: the kernel does not say
  bool slack_set = false;      ///< whether 1 ns was accepted
  Overshoot usual;
  Overshoot exact;  ///< with a slack of 1 ns, as live runs sleep
};
SleepFindings measure_slack(int times, TimeNs period_ns);

Check check_sleeps(const SleepFindings& findings);

}  // namespace harness
