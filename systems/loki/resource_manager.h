// Loki's Resource Manager (section 4) as a planner, and those of the systems that it is compared with.
#pragma once

#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/planner.h"
#include "systems/loki/allocation.h"
#include "systems/loki/demand_estimate.h"
#include "systems/loki/metadata.h"
#include "systems/loki/planning_params.h"

namespace harness {

/// Who allocates: Loki scales hardware, then accuracy; Proteus the accuracy of each task by itself; InferLine
/// hardware alone (section 6.1).
enum class Allocator { kLoki, kProteus, kInferLine };

/// Asked once per `tables_period_s`: measures the rate and the fan-outs of the last period, publishes their
/// moving averages, and allocates workers anew every `period_s` and on a significant change of the demand
/// (Proteus: of any task's demand); in between the plan in force stands. The rate before the start counts as
/// that of a period; fan-outs are the pipeline's until a variant has served a visit. Demand below
/// `min_demand_rps` counts as that, and at each task as what it causes there.
///
/// Throws InputError at the start when no plan is possible: fewer workers than tasks, or no path whose
/// execution takes half of the SLO at most.
class ResourceManager final : public Planner {
 public:
  /// Metadata go with each plan (Plan::notes). `budget_factor`: of ModulePlan::budget_ns (early_dropping.h).
  ResourceManager(const ServingContext& context, const PlanningParams& params, Allocator allocator,
                  double budget_factor);

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
  double budget_factor_;
  Metadata metadata_;
  std::vector<DemandEstimate> demand_;                ///< by module: at its task's first
  std::vector<std::vector<DemandEstimate>> fan_out_;  ///< by module and entry of `subs`
  std::vector<double> least_rps_;                     ///< by module: what `min_demand_rps` causes there
  std::vector<double> planned_rps_;                   ///< the demands that were planned for
  TimeNs planned_ns_ = 0;
};

/// Makes batch sizes larger, in turns through the modules that have workers, as long as that makes the worker
/// faster and the slowest path through them stays within the problem's limit: more capacity for visits that
/// come at once, and latency budgets that use up the SLO. Reconstructed: Eq. 11 and 12 leave open which batch
/// sizes a plan has that keep its constraints.
void raise_batches(const AllocationProblem& problem, const std::vector<int>& workers,
                   std::vector<int>& batch);

}  // namespace harness
