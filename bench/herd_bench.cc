// HERD's plan (SHEPHERD, Table 5): as many models as GPUs, 1,000 streams each. The paper's solver takes
// 0.55, 2.51, 4.28, 8.53 and 13.26 s for 200, 400, 600, 800 and 1,000 models on 64 cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "systems/shepherd/herd_params.h"
#include "systems/shepherd/herd_plan.h"
#include "systems/shepherd/test_herd_cases.h"
#include "systems/shepherd/test_herd_check.h"
#include "systems/shepherd/test_herd_literal.h"

namespace harness {
namespace {

double largest_load(const HerdInput& input, const HerdPlan& plan) {
  double largest = 0;
  for (const HerdGroup& group : plan.groups) {
    double load = 0;
    for (std::size_t i = 0; i < group.models.size(); ++i) {
      const HerdModel& model = input.models[static_cast<std::size_t>(group.models[i])];
      load += model.rate_rps / model.goodput_rps * group.shares[i] / input.params.shares;
    }
    largest = std::max(largest, load / group.gpus);
  }
  return largest;
}

// Measures the aggregation of the streams and the plan; the counters describe the plan.
void plan(benchmark::State& state, const HerdParams& params) {
  const int models = static_cast<int>(state.range(0));
  Table5Case made = table5(models);
  made.input.params = params;
  HerdPlan result;
  for (auto _ : state) {
    const std::vector<double> rates = aggregate_rates(models, made.streams);
    for (std::size_t i = 0; i < rates.size(); ++i) made.input.models[i].rate_rps = rates[i];
    result = plan_herd(made.input);
    benchmark::DoNotOptimize(result);
  }
  if (result.groups.empty()) return state.SkipWithError(result.reason.c_str());
  if (!herd_violations(made.input, result).empty())
    return state.SkipWithError("the plan breaks a constraint");
  state.counters["tolerance"] = result.min_burst_tolerance;
  state.counters["gap"] = result.gap;
  state.counters["groups"] = static_cast<double>(result.groups.size());
  state.counters["sets"] = result.affinity_sets;
  state.counters["largest_load"] = largest_load(made.input, result);
}

// Table 5 as this project reads it: ten groups, each with at most a tenth of the GPUs.
void ten_groups(benchmark::State& state) {
  plan(state, {.group_worker_limit = static_cast<int>(state.range(0) / 10), .max_groups = 10});
}
// Allows at most ten groups of any size.
void ten_groups_of_any_size(benchmark::State& state) {
  plan(state, {.group_worker_limit = 0, .max_groups = 10});
}
// Uses the limit of the paper's evaluation.
void groups_of_12(benchmark::State& state) { plan(state, {}); }
void groups_of_12_not_spread(benchmark::State& state) { plan(state, {.spread = false}); }
// The limit of K is the second argument.
void groups_of_12_with_affinity(benchmark::State& state) {
  plan(state, {.affinity_limit = static_cast<double>(state.range(1))});
}
// The memory set aside is the second argument, MB.
void ten_groups_with_reserve(benchmark::State& state) {
  plan(state, {.group_worker_limit = static_cast<int>(state.range(0) / 10),
               .max_groups = 10,
               .reserved_mb = static_cast<double>(state.range(1))});
}

// Eq. 2 without changes, in the smallest number of groups that memory allows, with memory for six models
// each: GLPK's solution in at most 1,000 nodes.
void literal_program(benchmark::State& state) {
  const int models = static_cast<int>(state.range(0));
  Table5Case made = table5(models);
  const std::vector<double> rates = aggregate_rates(models, made.streams);
  for (std::size_t i = 0; i < rates.size(); ++i) made.input.models[i].rate_rps = rates[i];
  made.input.gpu_bytes = 2'000'000'000;
  made.input.params.group_worker_limit = 0;
  const HerdPlan best = plan_herd(made.input);
  const Milp problem = literal_program(made.input, static_cast<int>(best.groups.size()));
  MilpSolution solution;
  for (auto _ : state) {
    solution = solve(problem, {.max_nodes = 1000});
    benchmark::DoNotOptimize(solution);
  }
  state.counters["groups"] = static_cast<double>(best.groups.size());
  state.counters["tolerance"] = solution.objective;
  state.counters["bound"] = solution.bound;
  state.counters["nodes"] = static_cast<double>(solution.nodes);
  state.counters["herd"] = best.min_burst_tolerance;
}
// Measures only the aggregation of the rates.
void aggregation(benchmark::State& state) {
  const int models = static_cast<int>(state.range(0));
  const Table5Case made = table5(models);
  for (auto _ : state) benchmark::DoNotOptimize(aggregate_rates(models, made.streams));
}

BENCHMARK(ten_groups)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(ten_groups_of_any_size)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(groups_of_12)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(groups_of_12_not_spread)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(groups_of_12_with_affinity)
    ->ArgsProduct({{200, 1000}, {0, 64, 16, 8, 4, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ten_groups_with_reserve)->ArgsProduct({{1000}, {0, 1000, 1200}})->Unit(benchmark::kMillisecond);
BENCHMARK(literal_program)->Arg(10)->Arg(20)->Arg(40)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(aggregation)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
