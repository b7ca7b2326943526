// Streams of requests (design, section 2): where they enter and how soon they are due.
#pragma once

#include "harness/core/types.h"

namespace harness {

/// Index of a stream in its workload, from 0.
using StreamId = std::uint32_t;

/// Requests of one kind (SHEPHERD, section 5.1: of one model and one SLO).
struct Stream {
  ModuleId entry = 0;   ///< a module without pres
  TimeNs slo_ns = 0;    ///< from sending to the end of the last module
  double rate_rps = 0;  ///< expected, for planners; 0: unknown
};

}  // namespace harness
