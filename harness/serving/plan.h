// Slow decisions: how many workers each module has and how large its batches may be.
#pragma once

#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The plan of one module.
struct ModulePlan {
  int workers = 1;
  int batch_cap = 1;   ///< largest batch a scheduler may form, 1..the profile's maximum
  TimeNs exec_ns = 0;  ///< d_k: the profile's latency at batch_cap
  TimeNs budget_ns =
      0;  ///< share of the SLO for this module alone (waits and execution), for systems that split it
};

/// A plan for the whole pipeline, one entry per module.
struct Plan {
  std::vector<ModulePlan> modules;
};

}  // namespace harness
