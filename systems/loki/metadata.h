// Loki's Metadata Store (section 3).
#pragma once

#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// The Metadata Store (section 3), by which both Loki's Resource Manager and its Load Balancer go. The
/// planner writes it and gives the routers of its system a copy with each plan.
struct Metadata final : PlanDetails {
  /// Demand at the root: its moving average, but at least the least demand that is planned for, times the
  /// headroom.
  double demand_rps = 0;
  std::vector<std::vector<double>> fan_out;  ///< visits there per visit, by module and entry of its `subs`
  /// Share of its task's visits, by module, under Proteus; empty under the other systems.
  std::vector<double> share;
};

}  // namespace harness
