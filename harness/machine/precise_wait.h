// Waiting for a time as exactly as the machine can, and measuring how exactly that is.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/machine/machine_checks.h"
#include "harness/machine/this_host.h"

namespace harness {

// Measurement of how exactly this machine wakes a thread that sleeps until a time.

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

/// The way in which a wait ends.
struct WaitParams {
  bool spin = false;                  ///< true if the last part of each wait reads the clock without sleeping
  TimeNs margin_ns = 200 * kNsPerUs;  ///< length of that last part: more than the delay of a sleep's end
};

/// Returns the time until which to sleep at most, in order not to miss the deadline: `deadline_ns`, or the
/// margin before it if the wait spins. A loop that also receives passes this to Transport::wait_until() and
/// then, if it spins, calls receive() and reads the clock until the deadline.
constexpr TimeNs sleep_deadline_ns(TimeNs deadline_ns, const WaitParams& params) {
  return params.spin && deadline_ns != kNever ? deadline_ns - params.margin_ns : deadline_ns;
}

/// Sleeps until steady_ns() reaches `deadline_ns` and returns the time then; it returns earlier only if a
/// signal came. It is as exact as the thread's timer slack (this_host.h) and the kernel's scheduling allow.
TimeNs sleep_until(TimeNs deadline_ns);

/// Reads the clock until it reaches `deadline_ns` and returns the time: exact to tens of nanoseconds while
/// nobody else wants the core.
TimeNs spin_until(TimeNs deadline_ns);

/// Sleeps, then spins if `params.spin` is set. Returns the time; earlier only if a signal came.
TimeNs precise_wait(TimeNs deadline_ns, const WaitParams& params);

/// Returns the cores on which the calling thread may run, ascending.
std::vector<int> allowed_cores();

/// Keeps the calling thread on one core, and restores its former cores at the end. The constructor throws
/// EnvironmentError, with the allowed cores, if the kernel refuses. The object must be destroyed by the same
/// thread.
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
