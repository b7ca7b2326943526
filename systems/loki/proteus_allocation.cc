#include "systems/loki/proteus_allocation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace harness {
namespace {

constexpr double kPartJustBelow = 1 - 1e-9;  // rounding must not make a part infeasible that can be served

// A variant with the batch size that it runs with.
struct Option {
  ModuleId variant = 0;
  ModuleId task = 0;
  int batch = 1;
  TimeNs latency_ns = kNever;
  double rate_rps = 0;
  bool in_time = false;
};

// Returns the batch of most throughput within the budget, or the fastest one if no batch is within it.
Option best_option(const AllocationProblem& problem, ModuleId variant, TimeNs budget_ns) {
  const Profile& profile = *problem.profiles[variant];
  Option best{.variant = variant, .task = problem.pipeline->task_of(variant)};
  for (const int batch : problem.batches) {
    if (batch < 1 || batch > profile.max_batch()) continue;
    const TimeNs latency_ns = profile.latency(batch);
    const double rate_rps = batch / ns_to_s(latency_ns);
    const bool in_time = latency_ns <= budget_ns;
    const bool better =
        in_time ? !best.in_time || rate_rps > best.rate_rps : !best.in_time && latency_ns < best.latency_ns;
    if (better) best = {variant, best.task, batch, latency_ns, rate_rps, in_time};
  }
  return best;
}

// Returns the variants that are in time, by task, or the task's fastest variant if none is.
std::vector<Option> all_options(const AllocationProblem& problem) {
  const TimeNs budget_ns = problem.latency_limit_ns /
                           longest_path_tasks(*problem.pipeline, problem.profiles, problem.latency_limit_ns);
  std::vector<Option> options;
  for (std::size_t m = 0; m < problem.pipeline->modules.size(); ++m) {
    const Option option = best_option(problem, static_cast<ModuleId>(m), budget_ns);
    Option* last = options.empty() || options.back().task != option.task ? nullptr : &options.back();
    if (option.rate_rps <= 0) continue;  // no batch size is allowed
    if (last == nullptr || (option.in_time && last->in_time)) {
      options.push_back(option);
    } else if (option.in_time || (!last->in_time && option.latency_ns < last->latency_ns)) {
      *last = option;
    }
  }
  return options;
}

class SeparateProgram {
 public:
  SeparateProgram(const AllocationProblem& problem, const std::vector<double>& demand_rps,
                  const MilpLimits& limits)
      : problem_(problem), demand_rps_(demand_rps), limits_(limits), options_(all_options(problem)) {}

  SeparateAllocation run() {
    SeparateAllocation plan;
    const std::size_t modules = problem_.pipeline->modules.size();
    plan.workers.assign(modules, 0);
    plan.batch.assign(modules, 1);
    plan.share.assign(modules, 0);
    const MilpSolution all = solved(1, true);
    if (all.status != MilpStatus::kInfeasible) {
      plan.optimal = all.status == MilpStatus::kOptimal;
      take(all, plan);
    } else {
      const MilpSolution most = solved(1, false);
      plan.optimal = most.status == MilpStatus::kOptimal || most.status == MilpStatus::kInfeasible;
      if (take(most, plan)) {
        const MilpSolution accurate = solved(plan.served * kPartJustBelow, true);
        plan.optimal &= take(accurate, plan) && accurate.status == MilpStatus::kOptimal;
      }
    }
    if (plan.feasible) hand_out(plan);
    return plan;
  }

 private:
  double demand(ModuleId task) const { return demand_rps_[task]; }

  double total_demand() const {
    double total = 0;
    for (std::size_t m = 0; m < demand_rps_.size(); ++m)
      if (is_task(m)) total += demand_rps_[m];
    return total;
  }

  bool is_task(std::size_t module) const {
    return problem_.pipeline->task_of(static_cast<ModuleId>(module)) == module;
  }

  // Returns the most accurate plan that serves `part` of each demand or (without `serve_all`) the plan that
  // serves the largest part up to that. The variables are the share of `part` that is served, then for each
  // option its workers and its share of the task's demand.
  MilpSolution solved(double part, bool serve_all) const {
    Milp milp;
    const int served = milp.add_variable(serve_all ? 1 : 0, 1, serve_all ? 0 : 1, false);
    const double total = total_demand();
    std::vector<MilpTerm> all;
    std::vector<std::vector<MilpTerm>> sums(demand_rps_.size());
    for (const Option& option : options_) {
      const double weight = total > 0 ? demand(option.task) / total : 1;
      const double accuracy = problem_.pipeline->modules[option.variant].accuracy;
      const int workers =
          milp.add_variable(0, problem_.workers, serve_all ? -problem_.worker_weight : 0, true);
      const int share = milp.add_variable(0, 1, serve_all ? weight * accuracy : 0, false);
      all.push_back({workers, 1});
      sums[option.task].push_back({share, 1});
      const double load = part * demand(option.task) / option.rate_rps;
      milp.add_row(-kMilpInfinity, 0, std::vector<MilpTerm>{{share, load}, {workers, -1}});
      milp.add_row(-kMilpInfinity, 0, std::vector<MilpTerm>{{share, 1}, {workers, -1}});
    }
    milp.add_row(-kMilpInfinity, problem_.workers, all);
    for (std::size_t m = 0; m < sums.size(); ++m) {
      if (!is_task(m)) continue;
      sums[m].push_back({served, -1});
      milp.add_row(0, 0, sums[m]);
    }
    return solve(milp, limits_);
  }

  // Takes the workers from `solution` if they serve no less than the plan does (the solver's tolerance
  // aside), and computes all else from them. Returns true if it took them.
  bool take(const MilpSolution& solution, SeparateAllocation& plan) const {
    if (solution.values.empty()) return false;
    std::vector<int> workers(options_.size());
    for (std::size_t i = 0; i < options_.size(); ++i)
      workers[i] = static_cast<int>(std::lround(solution.values[2 * i + 1]));
    const double served = served_by(workers);
    if (served <= 0 || (plan.feasible && served < plan.served * (1 - kMilpTolerance))) return false;
    plan.feasible = true;
    plan.served = served;
    plan.gap = std::max(
        plan.gap, (solution.bound - solution.objective) / std::max(std::abs(solution.bound), kMilpTolerance));
    for (std::size_t i = 0; i < options_.size(); ++i) {
      plan.workers[options_[i].variant] = workers[i];
      plan.batch[options_[i].variant] = workers[i] > 0 ? options_[i].batch : 1;
    }
    share_out(plan);
    return true;
  }

  // Returns the part of every task's demand that `workers`, by option, can serve; 0 if a task has no workers.
  double served_by(const std::vector<int>& workers) const {
    std::vector<double> capacity_rps(demand_rps_.size(), 0.0);
    for (std::size_t i = 0; i < options_.size(); ++i)
      capacity_rps[options_[i].task] += workers[i] * options_[i].rate_rps;
    double served = 1;
    for (std::size_t m = 0; m < capacity_rps.size(); ++m) {
      if (!is_task(m)) continue;
      if (capacity_rps[m] <= 0) return 0;
      if (demand_rps_[m] > 0) served = std::min(served, capacity_rps[m] / demand_rps_[m]);
    }
    return served;
  }

  // Gives the served demand of a task to its most accurate variants as far as they can carry it: no other
  // shares are better.
  void share_out(SeparateAllocation& plan) const {
    std::vector<const Option*> by_accuracy;
    for (const Option& option : options_)
      if (plan.workers[option.variant] > 0) by_accuracy.push_back(&option);
    const auto accuracy = [&](const Option* option) {
      return problem_.pipeline->modules[option->variant].accuracy;
    };
    std::stable_sort(by_accuracy.begin(), by_accuracy.end(),
                     [&](const Option* a, const Option* b) { return accuracy(a) > accuracy(b); });
    const double total = total_demand();
    std::vector<double> left(demand_rps_.size(), 1.0);  // share of the served demand that is left, by task
    plan.share.assign(plan.share.size(), 0);
    plan.accuracy = 0;
    for (const Option* option : by_accuracy) {
      const double served_rps = plan.served * demand(option->task);
      const double most = served_rps > 0 ? plan.workers[option->variant] * option->rate_rps / served_rps : 1;
      const double share = std::min(left[option->task], most);
      plan.share[option->variant] = share;
      left[option->task] -= share;
      plan.accuracy += (total > 0 ? demand(option->task) / total : 0) * share * accuracy(option);
    }
  }

  void hand_out(SeparateAllocation& plan) const {
    int left = problem_.workers;
    for (const int count : plan.workers) left -= count;
    for (; left > 0; --left) {
      const Option* most = nullptr;
      const auto load = [&](const Option& option) {
        return plan.share[option.variant] * demand(option.task) / option.rate_rps /
               plan.workers[option.variant];
      };
      for (const Option& option : options_)
        if (plan.workers[option.variant] > 0 && (most == nullptr || load(option) > load(*most)))
          most = &option;
      ++plan.workers[most->variant];
    }
  }

  const AllocationProblem& problem_;
  const std::vector<double>& demand_rps_;
  MilpLimits limits_;
  std::vector<Option> options_;
};

}  // namespace

int longest_path_tasks(const Pipeline& pipeline, const std::vector<const Profile*>& profiles,
                       TimeNs limit_ns) {
  constexpr TimeNs kNegligible = 1000;  // latencies that make up the limit
  std::vector<double> counts(profiles.size());
  for (std::size_t m = 0; m < counts.size(); ++m)
    counts[m] = profiles[m]->latency(1) * kNegligible < limit_ns ? 0 : 1;
  const ModuleId entry = entries_in(pipeline).front();
  const double tasks = longest_after(pipeline, counts)[entry] + counts[static_cast<std::size_t>(entry)];
  return std::max(1, static_cast<int>(std::lround(tasks)));
}

SeparateAllocation proteus_allocation(const AllocationProblem& problem,
                                      const std::vector<double>& task_demand_rps, const MilpLimits& limits) {
  return SeparateProgram(problem, task_demand_rps, limits).run();
}

}  // namespace harness
