#include "harness/serving/placed_planner.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "harness/core/wording.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

class PlacedPlanner final : public Planner {
 public:
  explicit PlacedPlanner(Plan plan) : plan_(std::move(plan)) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan&) override { return plan_; }

 private:
  Plan plan_;
};

/// Returns the modules of one worker, in order. `worker` names it in messages.
std::vector<ModuleId> modules_in(const std::string& words, const std::vector<std::string>& names,
                                 const std::string& worker, const InputPlace& place) {
  std::vector<ModuleId> modules;
  std::istringstream in(words);
  for (std::string name; in >> name;) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw_unknown(place, "module", name, names);
    const auto module = static_cast<ModuleId>(found - names.begin());
    if (std::find(modules.begin(), modules.end(), module) != modules.end())
      throw input_error(place, name + " twice on " + worker, "each module once");
    modules.push_back(module);
  }
  if (modules.empty())
    throw input_error(place, "nothing for " + worker, "one or several of " + join_names(names));
  std::sort(modules.begin(), modules.end());
  return modules;
}

}  // namespace

std::vector<WorkerGroup> placed_groups(const Pipeline& pipeline, int workers, const std::string& placement,
                                       const InputPlace& place) {
  std::vector<std::string> names;
  for (const Module& module : pipeline.modules) names.push_back(module.name);
  std::vector<WorkerGroup> groups;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = placement.find(',', at);
    const std::string worker = "worker " + std::to_string(groups.size());
    groups.push_back({1, modules_in(placement.substr(at, end - at), names, worker, place)});
  }
  if (groups.size() > static_cast<std::size_t>(workers))
    throw input_error(place, std::to_string(groups.size()) + " workers",
                      "at most the " + std::to_string(workers) + " of cluster.workers");
  return groups;
}

std::unique_ptr<Planner> make_placed_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides) {
  Plan plan;
  plan.groups = placed_groups(*context.pipeline, context.workers, params.placement);
  std::vector<TimeNs> exec_ns;
  for (std::size_t m = 0; m < context.profiles.size(); ++m) {
    const int fixed = overrides.empty() ? 0 : overrides[m].batch;
    ModulePlan& module = plan.modules.emplace_back();
    module.workers = 0;
    module.max_batch = fixed > 0 ? fixed : std::min(params.max_batch, context.profiles[m]->max_batch());
    module.exec_ns = context.profiles[m]->latency(module.max_batch);
    exec_ns.push_back(module.exec_ns);
  }
  for (const WorkerGroup& group : plan.groups) {
    for (const ModuleId module : group.modules) ++plan.modules[module].workers;
  }
  const std::vector<TimeNs> budgets = proportional_budgets(context, exec_ns);
  for (std::size_t m = 0; m < budgets.size(); ++m) plan.modules[m].budget_ns = budgets[m];
  return std::make_unique<PlacedPlanner>(std::move(plan));
}

}  // namespace harness
