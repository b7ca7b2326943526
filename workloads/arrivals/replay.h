// The transformations that lead from a recorded trace to the replayed load.
#pragma once

#include "workloads/arrivals/rate_curve.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// A curve in replayed time and the length of its replay. If that is longer, no requests come after the
/// curve's end.
struct Replay {
  RateCurve curve;
  double duration_s = 0;
};

/// Takes the steps of TraceSpec (see there) from `source` (counts or rates in source time, already sliced) to
/// the target rate. `smooths` says that the curve is smoothed first.
Replay replay_of(const TraceSpec& spec, RateCurve source, bool smooths, double target_rps);

/// Returns the part [from_s, to_s) of a curve in whole bins; to_s = 0 is the end. Throws InputError if
/// nothing is left.
RateCurve sliced(const TraceSpec& spec, const RateCurve& source);

}  // namespace harness
