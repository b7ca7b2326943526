#include "systems/loki/resource_manager.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"
#include "systems/loki/loki_pipelines.h"
#include "systems/loki/proteus_allocation.h"

namespace harness {
namespace {

/// Returns the time of the slowest path through the variants that have workers.
TimeNs slowest_path_ns(const AllocationProblem& problem, const std::vector<int>& workers,
                       const std::vector<int>& batch) {
  const Pipeline& pipeline = *problem.pipeline;
  std::vector<double> cost(pipeline.modules.size(), 0);
  for (std::size_t m = 0; m < cost.size(); ++m) {
    if (workers[m] == 0) continue;
    double& of_task = cost[pipeline.task_of(static_cast<ModuleId>(m))];
    of_task = std::max(of_task, static_cast<double>(problem.profiles[m]->latency(batch[m])));
  }
  return static_cast<TimeNs>(cost.front() + longest_after(pipeline, cost).front());
}

double tasks_on_longest_path(const Pipeline& pipeline) {
  return 1 + longest_after(pipeline, std::vector<double>(pipeline.modules.size(), 1)).front();
}

/// Returns the next larger batch size with which a worker is faster, or 0.
int larger_batch(const AllocationProblem& problem, std::size_t module, int batch) {
  const Profile& profile = *problem.profiles[module];
  for (const int larger : problem.batches) {
    if (larger <= batch || larger > profile.max_batch()) continue;
    if (worker_rps(profile, larger) > worker_rps(profile, batch)) return larger;
  }
  return 0;
}

}  // namespace

void raise_batches(const AllocationProblem& problem, const std::vector<int>& workers,
                   std::vector<int>& batch) {
  for (bool raised = true; raised;) {
    raised = false;
    for (std::size_t m = 0; m < workers.size(); ++m) {
      const int larger = workers[m] > 0 ? larger_batch(problem, m, batch[m]) : 0;
      if (larger == 0) continue;
      const int kept = std::exchange(batch[m], larger);
      if (slowest_path_ns(problem, workers, batch) > problem.latency_limit_ns) {
        batch[m] = kept;
      } else {
        raised = true;
      }
    }
  }
}

ResourceManager::ResourceManager(const ServingContext& context, const PlanningParams& params,
                                 Allocator allocator, const TaskBudgets& budgets)
    : context_(context), params_(params), allocator_(allocator), budgets_(budgets) {}

Plan ResourceManager::plan(TimeNs now, const LoadStatistics& load, const Plan& current) {
  if (current.modules.empty()) {
    start(load.offered_rps);
  } else {
    observe(load);
  }
  publish();
  Plan next = current;
  if (current.modules.empty() || is_due(now)) {
    planned_ns_ = now;
    for (std::size_t m = 0; m < demand_.size(); ++m) planned_rps_[m] = demand_rps(m);
    next = allocate(current);
  }
  next.details = std::make_shared<const Metadata>(metadata_);
  return next;
}

void ResourceManager::start(double rate_rps) {
  const Pipeline& pipeline = *context_.pipeline;
  metadata_ = {};
  metadata_.fan_out = declared_fan_out(pipeline);
  demand_.assign(pipeline.modules.size(), DemandEstimate(params_.demand_alpha));
  planned_rps_.assign(demand_.size(), 0);
  fan_out_.clear();
  for (const std::vector<double>& means : metadata_.fan_out)
    fan_out_.emplace_back(means.size(), DemandEstimate(params_.demand_alpha));
  const std::vector<double> demands = task_demands(pipeline, metadata_.fan_out, rate_rps);
  for (std::size_t m = 0; m < demands.size(); ++m) demand_[m].add(demands[m]);
}

void ResourceManager::observe(const LoadStatistics& load) {
  const Pipeline& pipeline = *context_.pipeline;
  std::vector<double> arrived(demand_.size(), 0);
  for (std::size_t m = 0; m < load.module_rps.size(); ++m)
    arrived[pipeline.task_of(static_cast<ModuleId>(m))] += load.module_rps[m];
  arrived.front() = load.offered_rps;
  for (std::size_t m = 0; m < demand_.size(); ++m) demand_[m].add(arrived[m]);
  for (std::size_t m = 0; m < load.fan_out.size(); ++m) {
    for (std::size_t s = 0; s < load.fan_out[m].size(); ++s) {
      if (!std::isnan(load.fan_out[m][s])) fan_out_[m][s].add(load.fan_out[m][s]);
    }
  }
}

void ResourceManager::publish() {
  for (std::size_t m = 0; m < fan_out_.size(); ++m) {
    for (std::size_t s = 0; s < fan_out_[m].size(); ++s) {
      if (fan_out_[m][s].has_rates()) metadata_.fan_out[m][s] = fan_out_[m][s].rate_rps();
    }
  }
  least_rps_ = task_demands(*context_.pipeline, metadata_.fan_out, params_.min_demand_rps);
  metadata_.demand_rps = params_.headroom * demand_rps(0);
}

double ResourceManager::demand_rps(std::size_t module) const {
  return std::max(demand_[module].rate_rps(), least_rps_[module]);
}

bool ResourceManager::is_due(TimeNs now) const {
  // Called once per measuring period; the call nearest to the end of the planning period counts.
  if (now - planned_ns_ + s_to_ns(params_.tables_period_s) / 2 >= s_to_ns(params_.period_s)) return true;
  const std::size_t counted = allocator_ == Allocator::kProteus ? demand_.size() : 1;
  for (std::size_t m = 0; m < counted; ++m) {
    if (changed_significantly(demand_rps(m), planned_rps_[m], params_.demand_change)) return true;
  }
  return false;
}

AllocationProblem ResourceManager::problem() const {
  AllocationProblem problem;
  problem.pipeline = context_.pipeline;
  problem.profiles = context_.profiles;
  problem.fan_out = metadata_.fan_out;
  for (std::vector<double>& means : problem.fan_out)
    for (double& mean : means) mean *= params_.fan_out_factor;
  problem.demand_rps = metadata_.demand_rps;
  problem.workers = context_.workers;
  const double hops = tasks_on_longest_path(*context_.pipeline);
  problem.latency_limit_ns = (context_.slo_ns - ms_to_ns(hops * params_.communication_ms)) / 2;
  for (int batch = 1; batch <= params_.max_batch; batch *= 2) problem.batches.push_back(batch);
  return problem;
}

Allocation ResourceManager::allocation(const AllocationProblem& problem) const {
  MilpLimits limits;
  limits.max_nodes = params_.max_nodes;
  limits.relative_gap = params_.relative_gap;
  if (allocator_ == Allocator::kHwScaling) return hwscaling_allocation(problem, limits);
  Allocation best = scale_hardware(problem, limits);
  if (!best.feasible) best = scale_accuracy(problem, limits);
  if (!best.feasible) best = most_throughput(problem, limits);
  return best;
}

Plan ResourceManager::allocate(const Plan& current) {
  const AllocationProblem asked = problem();
  bool feasible = false;
  std::vector<int> workers;
  std::vector<int> batch;
  if (allocator_ == Allocator::kProteus) {
    std::vector<double> demands = planned_rps_;
    for (double& demand : demands) demand *= params_.headroom;
    SeparateAllocation made = proteus_allocation(
        asked, demands, {.max_nodes = params_.max_nodes, .relative_gap = params_.relative_gap});
    feasible = made.feasible;
    workers = std::move(made.workers);
    batch = std::move(made.batch);
    if (feasible) metadata_.share = std::move(made.share);
  } else {
    Allocation made = allocation(asked);
    feasible = made.feasible;
    workers = std::move(made.workers);
    batch = std::move(made.batch);
    if (feasible && params_.raise_batches) raise_batches(asked, workers, batch);
  }
  if (feasible) return plan_of(workers, batch);
  if (!current.modules.empty()) return current;
  throw InputError("no allocation: fewer workers than tasks, or every path takes more than half of the SLO");
}

Plan ResourceManager::plan_of(const std::vector<int>& workers, const std::vector<int>& batch) const {
  Plan plan;
  const TimeNs share_ns =
      context_.slo_ns / longest_path_tasks(*context_.pipeline, context_.profiles, context_.slo_ns);
  for (std::size_t m = 0; m < workers.size(); ++m) {
    const TimeNs exec_ns = context_.profiles[m]->latency(batch[m]);
    const TimeNs budget_ns =
        budgets_.kind == TaskBudget::kSloShare ? share_ns : latency_budget(exec_ns, budgets_.factor);
    plan.modules.push_back({workers[m], batch[m], exec_ns, budget_ns});
  }
  return plan;
}

}  // namespace harness
