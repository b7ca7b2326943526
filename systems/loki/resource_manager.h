// Loki's Resource Manager (section 4) as a planner with its parameters, for Loki and for the systems that it
// is compared with.
#pragma once

#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/loki/allocation.h"

namespace harness {

// The pipelines that Loki plans for, what they declare of their loads, and the Metadata Store of both its
// parts.

/// The Metadata Store (section 3), by which both Loki's Resource Manager and its Load Balancer go. The
/// planner writes it and gives the routers of its system a copy with each plan.
struct Metadata final : PlanDetails {
  /// Demand at the root: its moving average, but at least the least demand that is planned for, times the
  /// headroom.
  double demand_rps = 0;
  std::vector<std::vector<double>> fan_out;  ///< visits there per visit, by module and entry of its `subs`
  /// Share of its task's visits, by module, under Proteus; empty under the other systems.
  std::vector<double> share;
};

/// True if the pipeline is a tree (section 2.1) of tasks, or of modules that count as tasks of one variant
/// each, and all models run in batches on workers of their own. Other pipelines get the shared planner's
/// workers.
bool is_for_loki(const ServingContext& context);

/// Returns the fan-outs before anything is measured, by module and entry of `subs`: the means of the tasks;
/// for plain modules the probability that a visit goes on there.
std::vector<std::vector<double>> declared_fan_out(const Pipeline& pipeline);

/// Returns the visits/s at each task if requests come at `rate_rps` and the most accurate variants do all
/// tasks. They are by module; only a task's first module has them.
std::vector<double> task_demands(const Pipeline& pipeline, const std::vector<std::vector<double>>& fan_out,
                                 double rate_rps);

// The demand that Loki plans for (section 4.2): a moving average of recent rates, and the rule for when it
// has changed.

/// An exponentially weighted moving average: for rates r_0 (the newest), r_1, ... the sum of (1 - alpha)^i
/// r_i over the sum of (1 - alpha)^i, so that the first rates weigh no more than they should.
///
/// Reconstructed: the value of alpha, and rates of equal periods.
class DemandEstimate {
 public:
  explicit DemandEstimate(double alpha) : keep_(1 - alpha) {}

  /// Adds the newest period's rate.
  void add(double rate_rps) {
    sum_ = keep_ * sum_ + rate_rps;
    weight_ = keep_ * weight_ + 1;
  }
  /// Returns the average; 0 before the first period.
  double rate_rps() const { return weight_ > 0 ? sum_ / weight_ : 0; }
  bool has_rates() const { return weight_ > 0; }

 private:
  double keep_;
  double sum_ = 0;
  double weight_ = 0;
};

/// True if a demand differs from the planned one by more than the share `change` of that.
///
/// Reconstructed: "a significant change in the demand" (section 4.2), up or down.
inline bool changed_significantly(double demand_rps, double planned_rps, double change) {
  return demand_rps > planned_rps * (1 + change) || demand_rps < planned_rps * (1 - change);
}

// The parameters of Loki's Resource Manager (section 4).

struct PlanningParams {
  double period_s = 10;
  double tables_period_s = 1;
  double demand_alpha = 0.32;
  double demand_change = 0.2;
  double headroom = 1;
  double fan_out_factor = 1;
  double min_demand_rps = 0;
  int max_batch = 32;
  bool raise_batches = true;
  double communication_ms = 0;
  double relative_gap = 1e-4;
  int max_nodes = 2000;

  void list(ParamList& params) {
    params.number("period_s", period_s, 0.1, 1e5, "workers are allocated again so often (section 4.2: 10 s)");
    params.number(
        "tables_period_s", tables_period_s, 0.1, 1e5,
        "rates are measured over this time, routing tables made again so often (sections 3 and 5.1)");
    params.number("demand_alpha", demand_alpha, 0.01, 1,
                  "weight of the newest rate in the moving averages of demand and fan-outs (section 4.2)");
    params.number(
        "demand_change", demand_change, 0.01, 10,
        "share by which demand must leave that of the plan to be a significant change (section 4.2)");
    params.number("headroom", headroom, 0.1, 10,
                  "workers are allocated, and routing tables made, for the demand times this");
    params.number("fan_out_factor", fan_out_factor, 0.1, 10,
                  "workers are allocated for fan-outs of this times those measured (not `proteus`)");
    params.number("min_demand_rps", min_demand_rps, 0, 1e9,
                  "requests/s that the demand is taken to be at least; `headroom` comes on top");
    params.integer("max_batch", max_batch, 1, 1024,
                   "batch sizes are the powers of two up to this (B of section 4.1)");
    params.flag("raise_batches", raise_batches,
                "batch sizes grow while every path stays within half of the SLO");
    params.number("communication_ms", communication_ms, 0, 1e4,
                  "taken off the SLO for each task on the longest path (section 4.2)");
    params.number("relative_gap", relative_gap, 0, 1,
                  "an integer program is solved when its bound is so close: (bound - value) / bound");
    params.integer("max_nodes", max_nodes, 1, 1'000'000'000,
                   "nodes of an integer program's search tree at most");
  }
};

/// The way to allocate: Loki scales hardware, then accuracy; Proteus scales the accuracy of each task by
/// itself; kHwScaling scales hardware alone, as section 6.1 has InferLine do.
enum class Allocator { kLoki, kProteus, kHwScaling };

/// The rule for the latency budget of a task.
enum class TaskBudget : std::uint8_t {
  kExecution,  ///< latency_budget() of its execution time
  kSloShare    ///< Proteus: the SLO over the tasks of the longest path, as in the authors' simulator
};

struct TaskBudgets {
  TaskBudget kind = TaskBudget::kExecution;
  double factor = 2;  ///< factor of latency_budget()
};

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
  /// Sends Metadata with each plan (Plan::notes). `budgets` says how to set ModulePlan::budget_ns.
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
