// Loki's Resource Manager (section 4) as a planner with its parameters, and those of the systems that it is
// compared with.
#pragma once

#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/loki/allocation.h"

namespace harness {

// What Loki plans for: which pipelines, what they say of their loads, and the Metadata Store of both its
// parts.

// What Loki's Resource Manager and Load Balancer both go by: the Metadata Store (section 3).

/// Written by the planner, which gives the routers of its system a copy with each plan.
struct Metadata final : PlanNotes {
  /// Moving average of the demand at the root, at least what is planned for, with headroom.
  double demand_rps = 0;
  std::vector<std::vector<double>> fan_out;  ///< by module and entry of its `subs`: visits there per visit
  /// Proteus: by module, of its task's visits; empty under the other systems.
  std::vector<double> share;
};

/// Whether the pipeline is a tree (section 2.1) of tasks, or of modules that are tasks of one variant each,
/// and all models run in batches on workers of their own. Others get the shared planner's workers.
bool is_for_loki(const ServingContext& context);

/// By module and entry of `subs`, before anything is measured: the means of the tasks; of plain modules the
/// probability that a visit goes on there.
std::vector<std::vector<double>> declared_fan_out(const Pipeline& pipeline);

/// By module: visits there, at its task's first module, of a request whose tasks are done by the most
/// accurate variants, times `rate_rps`.
std::vector<double> task_demands(const Pipeline& pipeline, const std::vector<std::vector<double>>& fan_out,
                                 double rate_rps);

// The demand that Loki plans for (section 4.2): a moving average of recent rates, and when it has changed.

/// Exponentially weighted moving average: of rates r_0 (the newest), r_1, ... the sum of (1 - alpha)^i r_i
/// over the sum of (1 - alpha)^i, so that the first ones weigh no more than they should.
///
/// Reconstructed: alpha, and that rates are those of equal periods.
class DemandEstimate {
 public:
  explicit DemandEstimate(double alpha) : keep_(1 - alpha) {}

  /// Adds the newest period's rate.
  void add(double rate_rps) {
    sum_ = keep_ * sum_ + rate_rps;
    weight_ = keep_ * weight_ + 1;
  }
  /// 0 before the first period.
  double rate_rps() const { return weight_ > 0 ? sum_ / weight_ : 0; }
  bool has_rates() const { return weight_ > 0; }

 private:
  double keep_;
  double sum_ = 0;
  double weight_ = 0;
};

/// Whether a demand has left the one that was planned for by more than the share `change` of it.
///
/// Reconstructed: "a significant change in the demand" (section 4.2), up or down.
inline bool changed_significantly(double demand_rps, double planned_rps, double change) {
  return demand_rps > planned_rps * (1 + change) || demand_rps < planned_rps * (1 - change);
}

// How often Loki's Resource Manager plans, and for what (section 4), as parameters.

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

/// Who allocates: Loki scales hardware, then accuracy; Proteus the accuracy of each task by itself;
/// kHwScaling hardware alone, as section 6.1 has InferLine.
enum class Allocator { kLoki, kProteus, kHwScaling };

/// What the latency budget of a task is.
enum class TaskBudget : std::uint8_t {
  kExecution,  ///< latency_budget()
  kSloShare    ///< Proteus: the SLO over the tasks of the longest path, as in the authors' simulator
};

struct TaskBudgets {
  TaskBudget kind = TaskBudget::kExecution;
  double factor = 2;  ///< of latency_budget()
};

/// Asked once per `tables_period_s`: measures the rate and the fan-outs of the last period, publishes their
/// moving averages, and allocates workers again every `period_s` and on a significant change of the demand
/// (Proteus: of any task's demand); in between the plan in force stands. The rate before the start counts as
/// that of a period; fan-outs are the pipeline's until a variant has served a visit. Demand below
/// `min_demand_rps` counts as that, and at each task as what it causes there.
///
/// Throws InputError at the start when no plan is possible: fewer workers than tasks, or no path whose
/// execution takes half of the SLO at most.
class ResourceManager final : public Planner {
 public:
  /// Metadata go with each plan (Plan::notes). `budgets`: of ModulePlan::budget_ns.
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
