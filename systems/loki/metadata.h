// What Loki's Resource Manager and Load Balancer both go by: the Metadata Store (section 3).
#pragma once

#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// Written by the planner, which gives the routers of its system a copy with each plan.
struct Metadata final : PlanNotes {
  /// Moving average of the demand at the root, at least what is planned for, with headroom.
  double demand_rps = 0;
  std::vector<std::vector<double>> fan_out;  ///< by module and entry of its `subs`: visits there per visit
  /// Proteus: by module, of its task's visits; empty under the other systems.
  std::vector<double> share;
};

}  // namespace harness
