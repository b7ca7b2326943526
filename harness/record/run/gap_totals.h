// Sums over the gaps between the arrivals at a module.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The gaps in time between each visit that the dispatcher sent to a module's queues and the one before it.
/// Visits that go on from one batch together have gaps of 0. A visit that is sent again because its queue
/// went away adds no gap, nor does one that no queue takes. All are 0 if gaps are not counted
/// (Accounting::counts_gaps).
struct GapTotals {
  std::uint64_t count = 0;
  TimeNs sum_ns = 0;
  double squares_ns2 = 0;  ///< sum of their squares
};

}  // namespace harness
