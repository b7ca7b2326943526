// Slow decisions: how many workers each module has and how large its batches may be.
#pragma once

#include <vector>

#include "harness/core/types.h"

namespace harness {

/// ModulePlan::group of a module whose workers serve it alone.
inline constexpr ModuleId kAlone = 0xffff;

/// The plan of one module.
struct ModulePlan {
  int workers = 1;
  int batch_cap = 1;   ///< largest batch a scheduler may form, 1..the profile's maximum
  TimeNs exec_ns = 0;  ///< d_k: the profile's latency at batch_cap
  TimeNs budget_ns =
      0;  ///< share of the SLO for this module alone (waits and execution), for systems that split it
  /// The first module of the group that it is in, or kAlone. The modules of a group stand behind one queue,
  /// and each of its `workers` serves them all (SHEPHERD, section 3.2). Groups last as long as the run.
  ModuleId group = kAlone;
};

/// A plan for the whole pipeline, one entry per module.
struct Plan {
  std::vector<ModulePlan> modules;

  /// The module that stands for those that share its workers: the first of its group, or itself.
  ModuleId leader(ModuleId module) const {
    return modules[module].group == kAlone ? module : modules[module].group;
  }
  /// The modules that the workers of a leader serve, in order.
  std::vector<ModuleId> served_by(ModuleId leading) const {
    std::vector<ModuleId> served;
    for (ModuleId module = 0; module < modules.size(); ++module) {
      if (leader(module) == leading) served.push_back(module);
    }
    return served;
  }
};

}  // namespace harness
