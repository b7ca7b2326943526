// The timer slack: the time by which the kernel may delay the end of a thread's sleeps, to merge timers.
#pragma once

#include <sys/prctl.h>

#include "harness/core/types.h"

namespace harness {

/// Lets sleeps of the calling thread end when they are due (1 ns slack) instead of up to 50 us later, Linux's
/// usual slack. Called once in the loop's thread; threads started later inherit it. Returns false if the
/// kernel refuses.
inline bool set_timer_slack() { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

/// Returns the calling thread's slack, or -1 if the kernel does not tell it.
inline TimeNs timer_slack_ns() { return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

}  // namespace harness
