// A run as metrics are computed from it.
#pragma once

#include <functional>
#include <optional>

#include "harness/core/types.h"
#include "harness/record/run/no_value.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// A run, with the facts about it that its record does not have.
struct MeasuredRun {
  const RunRecord& record;
  double capacity_rps = 0;                         ///< capacity of the plan at time 0, in requests/s
  std::function<double(TimeNs)> capacity_at = {};  ///< capacity at a time, in requests/s; empty: not known
  double fluid_requests = 0;                       ///< fluid bound, in requests (engine/bounds/fluid_bound.h)
  /// Requests in time of an offline schedule; empty: no schedule is sure to be feasible.
  std::optional<double> scheduled_requests = {};
  /// Peak over mean of the replayed window of a recorded trace, as it was recorded.
  double recorded_peak_over_mean = kNoValue;
  /// Peak over mean of the rate at which that window is sent.
  double sent_peak_over_mean = kNoValue;
  double slo_factor = kNoValue;  ///< SLO in shortest service times, if it was given in these
  double reference_rps = 0;      ///< rate above which the workload is an overload; 0: above capacity_at
};

}  // namespace harness
