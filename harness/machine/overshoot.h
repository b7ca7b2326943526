// The delays with which sleeps end, measured and judged.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/machine/check.h"

namespace harness {

/// Quantiles of the delays with which sleeps ended.
struct Overshoot {
  TimeNs p50_ns = 0;
  TimeNs p99_ns = 0;
  TimeNs max_ns = 0;
};

/// Returns the quantiles, by nearest ranks, of at least one value.
Overshoot overshoot_of(std::vector<TimeNs> overshoot_ns);

/// Sleeps `times` times until a time `period_ns` later. Blocks for about their product.
Overshoot measure_sleeps(int times, TimeNs period_ns);

/// The delays of sleeps with the usual slack and with a slack of 1 ns.
struct SleepFindings {
  TimeNs usual_slack_ns = -1;  ///< the usual slack; -1: the kernel does not tell it
  bool slack_set = false;      ///< true if the kernel accepted a slack of 1 ns
  Overshoot usual;
  Overshoot exact;  ///< delays with a slack of 1 ns, with which live runs sleep
};
/// Measures both ways of sleeping. Afterwards the calling thread has its former timer slack.
SleepFindings measure_slack(int times, TimeNs period_ns);

/// Checks that sleeps end early enough for live runs.
Check check_sleeps(const SleepFindings& findings);

}  // namespace harness
