// This host as a process sees it: its name, its clock, and the delay with which sleeps may end.
#pragma once

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

#include "harness/core/types.h"

namespace harness {

// The timer slack: the time by which the kernel may delay the end of a thread's sleeps, to merge timers.

/// Lets sleeps of the calling thread end when they are due (1 ns slack) instead of up to 50 us later, Linux's
/// usual slack. Called once in the loop's thread; threads started later inherit it. Returns false if the
/// kernel refuses.
inline bool set_timer_slack() { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

/// Returns the calling thread's slack, or -1 if the kernel does not tell it.
inline TimeNs timer_slack_ns() { return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without name";
}

// The clock of live runs and of the batches of their devices.

/// Returns the nanoseconds of CLOCK_MONOTONIC, which never steps back. Every rank of a host reads the same
/// clock; another host's clock has another zero and another rate. May be called on any thread.
inline TimeNs steady_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<TimeNs>(now.tv_sec) * kNsPerS + now.tv_nsec;
}

/// Converts a time of steady_ns() or a duration to the form of system calls.
inline timespec to_timespec(TimeNs ns) {
  timespec value{};
  value.tv_sec = ns / kNsPerS;
  value.tv_nsec = ns % kNsPerS;
  return value;
}

}  // namespace harness
