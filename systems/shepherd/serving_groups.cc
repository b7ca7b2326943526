#include "systems/shepherd/serving_groups.h"

#include <algorithm>

#include "harness/core/input_error.h"
#include "harness/serving/common_plans.h"
#include "systems/shepherd/herd_input.h"
#include "systems/shepherd/herd_planner_params.h"

namespace harness {
namespace {

/// Returns the number of groups over which HERD would spread the shares. It takes minutes if they are too
/// many to be numbered (16,000 groups: 7 s).
std::size_t groups_to_fill(const HerdInput& input) {
  if (!input.params.spread || input.params.group_worker_limit == 0) return 1;
  const auto limit = static_cast<std::size_t>(input.params.group_worker_limit);
  std::size_t groups = (static_cast<std::size_t>(input.gpus) + limit - 1) / limit;
  if (input.params.max_groups > 0)
    groups = std::min(groups, static_cast<std::size_t>(input.params.max_groups));
  std::size_t shares = 0;
  for (const HerdModel& model : input.models)
    shares += static_cast<std::size_t>(shares_of(model, input.params));
  return std::min(groups, shares);
}

}  // namespace

bool is_for_herd(const ServingContext& context) {
  const std::vector<Module>& modules = context.pipeline->modules;
  const auto is_alone = [](const Module& module) { return module.pres.empty() && module.subs.empty(); };
  return (modules.size() > 1 || context.streams.size() > 1) &&
         std::all_of(modules.begin(), modules.end(), is_alone);
}

HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch) {
  const HerdInput input = herd_input(context, params, max_batch);
  check_group_count(groups_to_fill(input));
  HerdPlan plan = plan_herd(input);
  if (plan.groups.empty()) throw InputError("HERD has no plan: " + plan.reason);
  return plan;
}

HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps) {
  if (std::all_of(module_rps.begin(), module_rps.end(), [](double rps) { return rps <= 0; })) return {};
  ServingContext measured = context;
  measured.streams = measured_streams(context, module_rps);
  return plan_herd(herd_input(measured, params, max_batch));
}

Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch) {
  Plan plan = one_group_plan(context, max_batch);
  plan.groups.clear();
  for (ModulePlan& module : plan.modules) module.workers = 0;
  for (const HerdGroup& group : groups.groups) {
    WorkerGroup& workers = plan.groups.emplace_back();
    workers.workers = group.gpus;
    workers.shares = group.shares;
    for (const int model : group.models) {
      workers.modules.push_back(static_cast<ModuleId>(model));
      plan.modules[static_cast<std::size_t>(model)].workers += group.gpus;
    }
  }
  return plan;
}

}  // namespace harness
