// Streams of requests: where they enter and how soon they are due.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// Index of a stream in its workload, from 0.
using StreamId = std::uint32_t;

/// A stream of requests of one kind (SHEPHERD, section 5.1: of one model and one SLO).
struct Stream {
  ModuleId entry = 0;   ///< module to which the requests are sent, one without pres
  TimeNs slo_ns = 0;    ///< time from sending to the end of the last module
  double rate_rps = 0;  ///< expected requests/s, for planners; 0: unknown
};

}  // namespace harness
