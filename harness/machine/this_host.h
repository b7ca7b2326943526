// This host as a process sees it: what it calls itself, its clock, how late sleeps may end.
#pragma once

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

#include "harness/core/types.h"

namespace harness {

// How late the kernel may let this thread's sleeps end, to merge timers.

/// Lets sleeps of the calling thread end when they are due (1 ns slack) instead of up to 50 us later, Linux'
/// usual slack. Call once in the loop's thread; threads started later inherit it. False when the kernel
/// refuses.
inline bool set_timer_slack() { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

/// The calling thread's slack, or -1 when the kernel does not say.
inline TimeNs timer_slack_ns() { return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without name";
}

// The clock of live runs and of the batches of their devices.

/// Nanoseconds of CLOCK_MONOTONIC: never steps back; every rank of a host reads the same clock, and another
/// host's has another zero and another rate. Any thread.
inline TimeNs steady_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<TimeNs>(now.tv_sec) * kNsPerS + now.tv_nsec;
}

/// A time of steady_ns() or a duration as system calls take it.
inline timespec to_timespec(TimeNs ns) {
  timespec value{};
  value.tv_sec = ns / kNsPerS;
  value.tv_nsec = ns % kNsPerS;
  return value;
}

}  // namespace harness
