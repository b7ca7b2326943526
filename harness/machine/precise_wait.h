// Waiting for a time as exactly as the machine can.
#pragma once

#include "harness/core/types.h"

namespace harness {

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
/// signal came. It is as exact as the thread's timer slack (timer_slack.h) and the kernel's scheduling allow.
TimeNs sleep_until(TimeNs deadline_ns);

/// Reads the clock until it reaches `deadline_ns` and returns the time: exact to tens of nanoseconds while
/// nobody else wants the core.
TimeNs spin_until(TimeNs deadline_ns);

/// Sleeps, then spins if `params.spin` is set. Returns the time; earlier only if a signal came.
TimeNs precise_wait(TimeNs deadline_ns, const WaitParams& params);

}  // namespace harness
