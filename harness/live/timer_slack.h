// How late the kernel may let this thread's sleeps end, to merge timers.
#pragma once

#include <sys/prctl.h>

#include "harness/core/types.h"

namespace harness {

/// Lets sleeps of the calling thread end when they are due (1 ns slack) instead of up to 50 us later, Linux'
/// usual slack. Call once in the loop's thread; threads started later inherit it. False when the kernel
/// refuses.
inline bool set_timer_slack() { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

/// The calling thread's slack, or -1 when the kernel does not say.
inline TimeNs timer_slack_ns() { return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

}  // namespace harness
