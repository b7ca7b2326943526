// The slow decisions: the number of workers of each module and the largest size of its batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/types.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/worker_group.h"

namespace harness {

/// Index into Plan::groups; if the plan has no groups, the index of a module.
using GroupId = std::uint16_t;

struct PlanDetails;

/// A plan for the whole pipeline, with one entry per module.
struct Plan {
  std::vector<ModulePlan> modules;
  /// If empty, each module has workers of its own and is the group of its number. Otherwise every worker
  /// belongs to a group; a module may be in several (SHEPHERD, section 3.2: serving groups; Nexus: the nodes
  /// of a session). During a run groups are only added: a later plan begins with the groups of the plan
  /// before it (is_same_group), perhaps with other numbers of workers, 0 if they are not used (follows,
  /// common_plans.h).
  std::vector<WorkerGroup> groups;
  /// Null if there are no details. They are for Router::on_plan and Placement::on_plan alone; no other rank
  /// has them, and no log.
  std::shared_ptr<const PlanDetails> details = nullptr;

  /// True if workers and batches are equal, whatever the details.
  bool operator==(const Plan& other) const { return modules == other.modules && groups == other.groups; }

  GroupId group_count() const {
    return static_cast<GroupId>(groups.empty() ? modules.size() : groups.size());
  }
  int workers_of(GroupId group) const {
    return groups.empty() ? modules[group].workers : groups[group].workers;
  }
  bool serves(GroupId group, ModuleId module) const {
    if (groups.empty()) return group == module;
    const std::vector<ModuleId>& served = groups[group].modules;
    return std::find(served.begin(), served.end(), module) != served.end();
  }
  /// Returns the largest batch of the module on workers of the group, which serves it.
  int max_batch(GroupId group, ModuleId module) const {
    if (groups.empty() || groups[group].max_batches.empty()) return modules[module].max_batch;
    const std::vector<ModuleId>& served = groups[group].modules;
    return groups[group].max_batches[static_cast<std::size_t>(
        std::find(served.begin(), served.end(), module) - served.begin())];
  }
  /// True if there are workers that serve several modules.
  bool shares_workers() const {
    return std::any_of(groups.begin(), groups.end(),
                       [](const WorkerGroup& group) { return group.modules.size() > 1; });
  }
  /// Returns the modules that the workers of a group serve, in order.
  std::vector<ModuleId> served_by(GroupId group) const {
    return groups.empty() ? std::vector<ModuleId>{group} : groups[group].modules;
  }
};

/// The details of a plan, for the routers and the placement of its own system. Never written again.
struct PlanDetails {
  virtual ~PlanDetails() = default;
};

/// Codes a plan for messages and logs, which older versions may have written. It leaves out the details and
/// the devices, for which the dispatcher alone asks. If cores are planned, the number -1 - workers in place
/// of the workers says that the cores follow.
template <class Way>
void code(Archive<Way>& archive, Plan& plan) {
  archive.list(plan.modules, [&](ModulePlan& module) {
    int workers = module.cores == 0 ? module.workers : -1 - module.workers;
    archive.value(workers);
    module.workers = std::max(workers, -1 - workers);
    if (workers < 0) archive.value(module.cores);
    archive.value(module.max_batch);
    archive.value(module.exec_ns);
    archive.value(module.budget_ns);
  });
  archive.list(plan.groups, [&](WorkerGroup& group) {
    archive.value(group.workers);
    archive.list(group.modules);
    archive.list(group.max_batches);
    archive.value(group.cycle_ns);
    archive.list(group.shares);
  });
}

}  // namespace harness
