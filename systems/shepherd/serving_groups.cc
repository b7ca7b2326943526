#include "systems/shepherd/serving_groups.h"

#include <algorithm>

#include "harness/core/error.h"

namespace harness {
namespace {

bool is_for_herd(const ServingContext& context) {
  const std::vector<Module>& modules = context.pipeline->modules;
  const auto is_alone = [](const Module& module) { return module.pres.empty() && module.subs.empty(); };
  return (modules.size() > 1 || context.streams.size() > 1) &&
         std::all_of(modules.begin(), modules.end(), is_alone);
}

HerdPlan one_group(const ServingContext& context) {
  HerdGroup group;
  group.gpus = context.workers;
  for (int model = 0; model < static_cast<int>(context.profiles.size()); ++model)
    group.models.push_back(model);
  group.shares.assign(group.models.size(), 1);
  HerdPlan plan;
  plan.status = HerdStatus::kFeasible;
  plan.groups.push_back(std::move(group));
  return plan;
}

}  // namespace

HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch) {
  if (!is_for_herd(context)) return one_group(context);
  HerdPlan plan = plan_herd(herd_input(context, params, max_batch));
  if (plan.groups.empty()) throw InputError("HERD has no plan: " + plan.reason);
  return plan;
}

Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch) {
  Plan plan;
  for (const Profile* profile : context.profiles) {
    ModulePlan& module = plan.modules.emplace_back();
    module.workers = 0;
    module.batch_cap = std::min(max_batch, profile->max_batch());
    module.exec_ns = profile->latency(module.batch_cap);
  }
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
