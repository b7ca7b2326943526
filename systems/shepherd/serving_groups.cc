#include "systems/shepherd/serving_groups.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/serving/common_plans.h"

namespace harness {

bool is_for_herd(const ServingContext& context) {
  const std::vector<Module>& modules = context.pipeline->modules;
  const auto is_alone = [](const Module& module) { return module.pres.empty() && module.subs.empty(); };
  return (modules.size() > 1 || context.streams.size() > 1) &&
         std::all_of(modules.begin(), modules.end(), is_alone);
}

HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch) {
  HerdPlan plan = plan_herd(herd_input(context, params, max_batch));
  if (plan.groups.empty()) throw InputError("HERD has no plan: " + plan.reason);
  return plan;
}

Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch) {
  Plan plan = one_group_plan(context, max_batch);
  plan.groups.clear();
  for (ModulePlan& module : plan.modules) module.workers = 0;
  for (const HerdGroup& group : groups.groups) {
    WorkerGroup& workers = plan.groups.emplace_back();
    workers.workers = group.gpus;
    for (const int model : group.models) {
      workers.modules.push_back(static_cast<ModuleId>(model));
      plan.modules[static_cast<std::size_t>(model)].workers += group.gpus;
    }
  }
  return plan;
}

}  // namespace harness
