// What Loki's Resource Manager and Load Balancer both go by: the Metadata Store (section 3).
#pragma once

#include <vector>

namespace harness {

/// Written by the planner, read by the routers of the same system: both in the dispatcher's thread.
struct Metadata {
  double demand_rps = 0;                     ///< moving average of the demand at the root, with headroom
  std::vector<std::vector<double>> fan_out;  ///< by module and entry of its `subs`: visits there per visit
  /// Proteus: by module, of its task's visits; empty under the other systems.
  std::vector<double> share;
};

}  // namespace harness
