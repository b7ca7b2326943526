#include "harness/serving/common_plans.h"

#include <algorithm>
#include <string>

#include "harness/core/error.h"

namespace harness {

void check_group_count(std::size_t groups) {
  if (groups <= kMostGroups) return;
  throw InputError("the plan has " + std::to_string(groups) + " groups of workers, at most " +
                   std::to_string(kMostGroups) + " are allowed");
}

bool has_only_batches(const ServingContext& context) {
  return std::all_of(context.profiles.begin(), context.profiles.end(),
                     [](const Profile* profile) { return profile->service == Service::kBatch; });
}

Plan one_group_plan(const ServingContext& context, int max_batch) {
  Plan plan;
  WorkerGroup& group = plan.groups.emplace_back();
  group.workers = context.workers;
  for (const Profile* profile : context.profiles) {
    group.modules.push_back(static_cast<ModuleId>(plan.modules.size()));
    ModulePlan& module = plan.modules.emplace_back();
    module.workers = context.workers;
    module.batch_cap = std::min(max_batch, profile->max_batch());
    module.exec_ns = profile->latency(module.batch_cap);
  }
  return plan;
}

}  // namespace harness
