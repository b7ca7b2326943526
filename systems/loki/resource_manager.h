// Loki's Resource Manager (section 4) as a planner, for Loki and for the systems that it is compared with.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/load_statistics.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"
#include "systems/loki/demand_estimate.h"
#include "systems/loki/metadata.h"
#include "systems/loki/planning_params.h"
#include "systems/loki/task_budgets.h"

namespace harness {

/// The way to allocate: Loki scales hardware, then accuracy; Proteus scales the accuracy of each task by
/// itself; kHwScaling scales hardware alone, as section 6.1 has InferLine do.
enum class Allocator { kLoki, kProteus, kHwScaling };

/// The planner of the three systems, called once per `tables_period_s`. It measures the rate and the fan-outs
/// of the last period and publishes their moving averages. It allocates workers again every `period_s` and on
/// a significant change of the demand (under Proteus: of any task's demand); in between the plan in force
/// stays. The rate before the start counts as the rate of one period. Fan-outs are the pipeline's until a
/// variant has served a visit. A demand below `min_demand_rps` counts as `min_demand_rps`, and at each task
/// as the visits that this causes there.
///
/// Throws InputError at the start if no plan is possible: there are fewer workers than tasks, or no path
/// executes within half of the SLO.
class ResourceManager final : public Planner {
 public:
  /// Sends Metadata with each plan (Plan::details). `budgets` says how to set ModulePlan::budget_ns.
  ResourceManager(const ServingContext& context, const PlanningParams& params, Allocator allocator,
                  const TaskBudgets& budgets);

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) override;

 private:
  void start(double rate_rps);
  void observe(const LoadStatistics& load);
  void publish();
  bool is_due(TimeNs now) const;
  double demand_rps(std::size_t module) const;
  Plan allocate(const Plan& current);
  AllocationProblem problem() const;
  Allocation allocation(const AllocationProblem& problem) const;
  Plan plan_of(const std::vector<int>& workers, const std::vector<int>& batch) const;

  const ServingContext& context_;
  PlanningParams params_;
  Allocator allocator_;
  TaskBudgets budgets_;
  Metadata metadata_;
  std::vector<DemandEstimate> demand_;                ///< demand of each task, at its first module
  std::vector<std::vector<DemandEstimate>> fan_out_;  ///< fan-outs, by module and entry of `subs`
  std::vector<double> least_rps_;                     ///< visits/s that `min_demand_rps` causes, by module
  std::vector<double> planned_rps_;                   ///< demands that were planned for
  TimeNs planned_ns_ = 0;
};

/// Makes batch sizes larger, in turns through the modules that have workers, as long as this makes the worker
/// faster and the slowest path through them stays within the problem's limit. This gives more capacity for
/// visits that come at once, and latency budgets that use up the SLO. Reconstructed: Eq. 11 and 12 leave the
/// batch sizes of a plan open if several keep the constraints.
void raise_batches(const AllocationProblem& problem, const std::vector<int>& workers,
                   std::vector<int>& batch);

}  // namespace harness
