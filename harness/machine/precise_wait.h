// Waiting for a time as exactly as the machine can, and how exactly that is.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/machine/machine_checks.h"
#include "harness/machine/this_host.h"

namespace harness {

// How exactly this machine wakes a thread that sleeps until a time.

/// How long after its time a sleep ended.
struct Overshoot {
  TimeNs p50_ns = 0;
  TimeNs p99_ns = 0;
  TimeNs max_ns = 0;
};

/// Of at least one value; nearest ranks.
Overshoot overshoot_of(std::vector<TimeNs> overshoot_ns);

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

/// How the end of a wait is met.
struct WaitParams {
  bool spin = false;                  ///< the last part of each wait reads the clock without sleeping
  TimeNs margin_ns = 200 * kNsPerUs;  ///< that last part: longer than a sleep can end late
};

/// Until when to sleep at most, so that what follows can be met: `deadline_ns`, or the margin before it when
/// spinning. A loop that also receives passes this to Transport::wait_until() and then, spinning, calls
/// receive() and reads the clock until the deadline.
constexpr TimeNs sleep_deadline_ns(TimeNs deadline_ns, const WaitParams& params) {
  return params.spin && deadline_ns != kNever ? deadline_ns - params.margin_ns : deadline_ns;
}

/// Sleeps until steady_ns() reaches `deadline_ns` and returns the time then. Earlier only if a signal came.
/// As exact as the thread's timer slack (this_host.h) and the kernel's scheduling let it.
TimeNs sleep_until(TimeNs deadline_ns);

/// Reads the clock until it reaches `deadline_ns` and returns it: exact to tens of nanoseconds while nobody
/// else wants the core.
TimeNs spin_until(TimeNs deadline_ns);

/// Both: sleeps, then spins if `params` say so. Earlier only if a signal came.
TimeNs precise_wait(TimeNs deadline_ns, const WaitParams& params);

/// The cores that the calling thread may run on, ascending.
std::vector<int> allowed_cores();

/// Keeps the calling thread on one core, and gives back its former cores at the end. EnvironmentError, with
/// the allowed cores, when the kernel refuses. To be destroyed by the same thread.
class PinnedThread {
 public:
  explicit PinnedThread(int core);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  std::vector<int> former_;
};

}  // namespace harness
