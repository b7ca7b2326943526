// Planners: they decide on workers, maximum batch sizes and latency budgets.
#pragma once

#include "harness/core/types.h"
#include "harness/serving/load_statistics.h"
#include "harness/serving/plan.h"

namespace harness {

/// Computes plans from a snapshot of the load. In live runs it works in a thread of its own: it shares
/// nothing that changes with other parts of its system, and tells routers what they need by Plan::details.
/// Deterministic.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Returns the plan for the start (`current` is empty) or the next one. A plan with groups must follow the
  /// last one that was computed, which is `current` then; anything else is a bug. A next plan with groups is
  /// asked for only if the system has a period of its own (System::replan_period_ns); continued_plan
  /// (common_plans.h) makes such a plan.
  /// After the start `current` may have fewer workers than the first plan had (planner.initial_workers).
  virtual Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) = 0;
};

}  // namespace harness
