#include "systems/loki/turn_limit.h"

#include <algorithm>

#include "systems/loki/task_budgets.h"

namespace harness {

TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor) {
  TimeNs most = 0;
  for (const ModuleId sub : pipeline.modules[module].subs) {
    TimeNs fastest = kNever;
    TimeNs slowest = 0;
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      if (pipeline.task_of(m) != pipeline.task_of(sub) || plan.modules[m].workers == 0) continue;
      fastest = std::min(fastest, plan.modules[m].exec_ns);
      slowest = std::max(slowest, plan.modules[m].exec_ns);
    }
    if (fastest < kNever) most = std::max(most, slowest - fastest);
  }
  return limit == RerouteLimit::kExecution ? most : latency_budget(most, factor);
}

}  // namespace harness
