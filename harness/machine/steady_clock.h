// The clock of live runs and of the batches of their devices.
#pragma once

#include <time.h>

#include "harness/core/types.h"

namespace harness {

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
