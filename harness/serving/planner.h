// The planner: replicas, batch caps, latency budgets.
#pragma once

#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// What a planner is told about the load.
struct LoadStatistics {
  /// Requests/s offered to the pipeline over the last planning period; before the start, the rate to
  /// provision for.
  double offered_rps = 0;
  /// Visits/s that arrived at each module over the same time (< 0 where a variant lost its queue to another);
  /// before the start what the streams promise, empty when they say nothing.
  std::vector<double> module_rps;
  /// For planners that are told the future: by module the largest number of requests that enter there within
  /// one second of the period that begins (System::replan_period_ns), or of the run (SHEPHERD, section 7:
  /// Nexus is provisioned for the peak); empty: not known.
  std::vector<double> peak_rps = {};
  /// Of a tree of tasks, by module and entry of its subs: the mean number of visits there that a visit served
  /// by it has caused over the same time (Loki, section 4.2: multiplicative factors by heartbeats); NaN where
  /// it served none. Empty before the start.
  std::vector<std::vector<double>> fan_out = {};
};

/// Computes plans from a snapshot of the load. In live runs in a thread of its own: it shares nothing that
/// changes with other parts of its system, and tells routers what they need by Plan::notes. Deterministic.
class Planner {
 public:
  virtual ~Planner() = default;
  /// The plan for the start (`current` empty) or the next one. One with groups follows the last one that was
  /// computed, which is `current` then; anything else is a bug. It is asked for only where the system says
  /// its own period (System::replan_period_ns); continued_plan (common_plans.h) makes it.
  virtual Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) = 0;
};

}  // namespace harness
