#include "systems/loki/allocation.h"

#include <algorithm>
#include <cmath>

#include "systems/loki/allocation_program.h"
#include "systems/loki/augmented_graph.h"

namespace harness {
namespace {

// The solver's tolerance lets it call a demand infeasible that needs all workers to the last request, or
// feasible one that needs a millionth more.
constexpr double kSlack = 10 * kMilpTolerance;

Allocation none(const AllocationProblem& problem, bool proven) {
  Allocation plan;
  plan.optimal = proven;
  plan.workers.assign(problem.pipeline->modules.size(), 0);
  plan.batch.assign(problem.pipeline->modules.size(), 1);
  return plan;
}

// What is left to prove, as a part of the bound.
double gap_of(const MilpSolution& solution) {
  return std::max(0.0, solution.bound - solution.objective) /
         std::max(std::abs(solution.bound), kMilpTolerance);
}

// Branching alone is fastest: cutting planes and the search for good solutions take more time than they save.
MilpSolution search(const MilpProblem& milp, const MilpLimits& limits) {
  MilpLimits branching = limits;
  branching.cuts = false;
  branching.heuristics = false;
  branching.branching_trials = 1;
  MilpSolution best = solve(milp, branching);
  if (best.status != MilpStatus::kNoSolution) return best;
  branching.heuristics = true;
  const long nodes = best.nodes;
  best = solve(milp, branching);
  best.nodes += nodes;
  return best;
}

Allocation solved(const AllocationProblem& problem, const AugmentedGraph& graph, const AllocationGoal& goal,
                  const MilpLimits& limits) {
  const AllocationProgram program(problem, graph, goal);
  const MilpSolution solution = search(program.milp(), limits);
  const bool nothing_served = !goal.serve_all && solution.objective < kSlack;
  if (solution.values.empty() || nothing_served) {
    const bool proven = solution.status == (nothing_served ? MilpStatus::kOptimal : MilpStatus::kInfeasible);
    Allocation plan = none(problem, proven);
    plan.nodes = solution.nodes;
    return plan;
  }
  Allocation plan = program.allocation(solution.values);
  plan.optimal = solution.status == MilpStatus::kOptimal;
  plan.gap = gap_of(solution);
  plan.nodes = solution.nodes;
  return plan;
}

Allocation for_demand(const AllocationProblem& problem, Variants variants, const AllocationGoal& goal,
                      const MilpLimits& limits) {
  const AugmentedGraph graph = augmented_graph(problem, allowed_variants(*problem.pipeline, variants));
  if (graph.prefixes.empty() ||
      graph.least_workers_per_rps * problem.demand_rps > problem.workers * (1 + kSlack))
    return none(problem, true);
  return solved(problem, graph, goal, limits);
}

}  // namespace

Allocation scale_hardware(const AllocationProblem& problem, const MilpLimits& limits) {
  AllocationGoal goal;
  goal.demand_rps = problem.demand_rps;
  goal.worker = 1;
  return for_demand(problem, Variants::kMostAccurate, goal, limits);
}

Allocation scale_accuracy(const AllocationProblem& problem, const MilpLimits& limits) {
  AllocationGoal goal;
  goal.demand_rps = problem.demand_rps;
  goal.accuracy = 1;
  goal.worker = problem.worker_weight;
  return for_demand(problem, Variants::kAll, goal, limits);
}

Allocation most_throughput(const AllocationProblem& problem, const MilpLimits& limits, Variants variants) {
  const AugmentedGraph graph = augmented_graph(problem, allowed_variants(*problem.pipeline, variants));
  if (graph.prefixes.empty()) return none(problem, true);
  AllocationGoal goal;
  goal.demand_rps = problem.workers / graph.least_workers_per_rps;
  goal.serve_all = false;
  goal.served = 1;
  return solved(problem, graph, goal, limits);
}

}  // namespace harness
