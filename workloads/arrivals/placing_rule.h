// The way in which requests are placed at a given rate.
#pragma once

#include "harness/core/types.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// The way in which requests are placed, with its parameters (as in TraceSpec).
struct PlacingRule {
  /// A change of the squared CV of gamma gaps, in a straight line from the rule's own to `to_scv` between two
  /// times.
  struct ScvChange {
    double to_scv = 0;  ///< 0: it does not change
    TimeNs from_ns = 0;
    TimeNs until_ns = 0;
  };

  ArrivalProcess process = ArrivalProcess::kPoisson;
  double cv = 1;
  double mmpp_ratio = 1;
  double mmpp_high_share = 0.5;
  double mmpp_high_s = 1;
  ScvChange change = {};  ///< for kGamma only
};

}  // namespace harness
