// The clock of live runs and of the batches of their devices.
#pragma once

#include <time.h>

#include "harness/core/types.h"

namespace harness {

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
