#include "systems/loki/allocation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "systems/loki/allocation_program.h"
#include "systems/loki/augmented_graph.h"
#include "systems/loki/priced_paths.h"

namespace harness {
namespace {

// The solver's tolerance lets it call a demand infeasible that needs all workers to the last request, or
// feasible if it needs a millionth more.
constexpr double kSlack = 10 * kMilpTolerance;
constexpr double kJustBelow = 1 - 1e-9;      // rounding must not make a demand infeasible
constexpr std::size_t kVerticesPerTask = 3;  // number of vertices per task in the plan to start from

std::size_t tasks_of(const Pipeline& pipeline) {
  std::size_t tasks = 0;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m)
    tasks += pipeline.task_of(static_cast<ModuleId>(m)) == m ? 1 : 0;
  return tasks;
}

Allocation none(const AllocationProblem& problem, bool proven) {
  Allocation plan;
  plan.optimal = proven;
  plan.workers.assign(problem.pipeline->modules.size(), 0);
  plan.batch.assign(problem.pipeline->modules.size(), 1);
  return plan;
}

// Returns what is left to prove, as a share of the bound.
double gap_of(const MilpSolution& solution) {
  return std::max(0.0, solution.bound - solution.objective) /
         std::max(std::abs(solution.bound), kMilpTolerance);
}

// Returns the best plan that uses only the vertices which lose least if workers come in fractions. It is
// often the best of all.
MilpSolution good_plan(const AllocationProblem& problem, const AugmentedGraph& graph,
                       const AllocationProgram& program, const MilpLimits& limits) {
  PricedPaths paths(problem, graph);
  paths.find_price();
  const std::vector<double> losses = paths.losses();
  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  order.resize(std::min(order.size(), kVerticesPerTask * tasks_of(*problem.pipeline)));
  std::vector<bool> vertices(losses.size(), false);
  for (const std::size_t v : order) vertices[v] = true;
  MilpSolution good = solve_part(program.milp(), limits, program.variables_of(vertices));
  // The solver's tolerances are wider than the tolerance for values to start from.
  if (!good.values.empty() && program.milp().violation(good.values) > kMilpTolerance) good.values.clear();
  return good;
}

MilpSolution search(const AllocationProblem& problem, const AugmentedGraph& graph,
                    const AllocationProgram& program, const AllocationProgram::Goal& goal,
                    const MilpLimits& limits) {
  MilpSolution first;
  if (goal.accuracy > 0) first = good_plan(problem, graph, program, limits);
  MilpSolution best = solve(program.milp(), limits, first.values);
  best.nodes += first.nodes;
  return best;
}

Allocation solved(const AllocationProblem& problem, const AugmentedGraph& graph,
                  const AllocationProgram::Goal& goal, const MilpLimits& limits) {
  const AllocationProgram program(problem, graph, goal);
  const MilpSolution solution = search(problem, graph, program, goal, limits);
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

AllocationProgram::Goal accuracy_goal(const AllocationProblem& problem) {
  AllocationProgram::Goal goal;
  goal.demand_rps = problem.demand_rps;
  goal.accuracy = 1;
  goal.worker = problem.worker_weight;
  return goal;
}

Allocation for_demand(const AllocationProblem& problem, Variants variants,
                      const AllocationProgram::Goal& goal, const MilpLimits& limits) {
  const AugmentedGraph graph = augmented_graph(problem, allowed_variants(*problem.pipeline, variants));
  if (graph.prefixes.empty() ||
      graph.least_workers_per_rps * problem.demand_rps > problem.workers * (1 + kSlack))
    return none(problem, true);
  return solved(problem, graph, goal, limits);
}

// Returns the most accurate of the plans that carry as much as `most`.
Allocation most_accurate(const AllocationProblem& problem, const AugmentedGraph& graph,
                         const Allocation& most, const MilpLimits& limits) {
  AllocationProblem same = problem;
  same.demand_rps = most.demand_rps * kJustBelow;
  Allocation plan = solved(same, graph, accuracy_goal(same), limits);
  if (!plan.feasible || plan.accuracy < most.accuracy) return most;
  // The proof is that no other plan carries more.
  plan.optimal = most.optimal;
  plan.gap = most.gap;
  plan.nodes += most.nodes;
  return plan;
}

}  // namespace

Allocation scale_hardware(const AllocationProblem& problem, const MilpLimits& limits) {
  AllocationProgram::Goal goal;
  goal.demand_rps = problem.demand_rps;
  goal.worker = 1;
  return for_demand(problem, Variants::kMostAccurate, goal, limits);
}

Allocation scale_accuracy(const AllocationProblem& problem, const MilpLimits& limits) {
  return for_demand(problem, Variants::kAll, accuracy_goal(problem), limits);
}

Allocation most_throughput(const AllocationProblem& problem, const MilpLimits& limits, Variants variants) {
  const AugmentedGraph graph = augmented_graph(problem, allowed_variants(*problem.pipeline, variants));
  if (graph.prefixes.empty()) return none(problem, true);
  AllocationProgram::Goal goal;
  goal.demand_rps = problem.workers / graph.least_workers_per_rps;
  goal.serve_all = false;
  goal.served = 1;
  const Allocation most = solved(problem, graph, goal, limits);
  return most.feasible ? most_accurate(problem, graph, most, limits) : most;
}

Allocation hwscaling_allocation(const AllocationProblem& problem, const MilpLimits& limits) {
  const Allocation plan = scale_hardware(problem, limits);
  if (plan.feasible || !plan.optimal) return plan;
  return most_throughput(problem, limits, Variants::kMostAccurate);
}

}  // namespace harness
