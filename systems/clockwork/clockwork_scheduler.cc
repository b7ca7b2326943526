#include "systems/clockwork/clockwork_scheduler.h"

#include <algorithm>
#include <vector>

namespace harness {

void ClockworkScheduler::on_plan(TimeNs, const Plan& plan, Decisions&) {
  if (central_) return;
  std::vector<ClockworkModel> models;
  for (const ModuleId module : plan.served_by(group_)) {
    const int cap = std::min(plan.modules[module].batch_cap, params_.max_batch);
    models.push_back({module, context_.profiles[module], cap});
  }
  central_.emplace(params_, models, context_.serving.commit == Commit::kEarly);
}

}  // namespace harness
