// The features of a stage from which the CV of its arrivals is predicted (QUART, section 5.2).
#pragma once

#include <cmath>

namespace harness {

/// The features of one stage in a period.
struct StageFeatures {
  double rate_rps = 0;      ///< visits/s that arrive
  double service_s = 0;     ///< mean time of a visit on one replica
  int replicas = 1;         ///< number of replicas, at least 1
  double arrival_cv = NAN;  ///< sigma / mean of the gaps between its arrivals, measured; NaN: not known
};

}  // namespace harness
