// The clock that batches' times are of.
#pragma once

#include <time.h>

#include "harness/core/types.h"

namespace harness {

/// Nanoseconds of CLOCK_MONOTONIC, the same as the live runtime's steady_ns(). Any thread.
inline TimeNs host_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<TimeNs>(now.tv_sec) * kNsPerS + now.tv_nsec;
}

}  // namespace harness
