// Loki's two programs at the paper's size (section 6.5: about 500 ms on average, by Gurobi): 20 workers;
// traffic analysis with 5 detectors, 8 car classifiers and 4 face models, social media with 5 classifiers and
// 4 captioners. The demand is the argument, in thousandths of the largest that 20 workers can carry.
#include <benchmark/benchmark.h>

#include "systems/loki/allocation.h"
#include "systems/loki/allocation_check.h"
#include "systems/loki/baseline_allocations.h"
#include "systems/loki/test_loki_cases.h"

namespace harness {
namespace {

using Make = void (*)(LokiCase&);

void describe(benchmark::State& state, const AllocationProblem& problem, const Allocation& plan) {
  if (!check_allocation(problem, plan).empty()) return state.SkipWithError("the plan breaks a constraint");
  state.counters["demand_rps"] = problem.demand_rps;
  state.counters["workers"] = plan.total_workers();
  state.counters["accuracy"] = plan.accuracy;
  state.counters["gap"] = plan.gap;
  state.counters["nodes"] = static_cast<double>(plan.nodes);
}

// One plan of the Resource Manager: hardware scaling and, if there is none, accuracy scaling.
void resource_manager(benchmark::State& state, Make make) {
  LokiCase made;
  make(made);
  made.problem.demand_rps =
      most_throughput(made.problem).demand_rps * static_cast<double>(state.range(0)) / 1000;
  Allocation plan;
  for (auto _ : state) {
    plan = scale_hardware(made.problem);
    if (!plan.feasible) plan = scale_accuracy(made.problem);
    benchmark::DoNotOptimize(plan);
  }
  describe(state, made.problem, plan);
}

void accuracy_scaling(benchmark::State& state, Make make) {
  LokiCase made;
  make(made);
  made.problem.demand_rps =
      most_throughput(made.problem).demand_rps * static_cast<double>(state.range(0)) / 1000;
  Allocation plan;
  for (auto _ : state) {
    plan = scale_accuracy(made.problem);
    benchmark::DoNotOptimize(plan);
  }
  describe(state, made.problem, plan);
}

void hardware_scaling(benchmark::State& state, Make make) {
  LokiCase made;
  make(made);
  const double most_rps = most_throughput(made.problem, {}, Variants::kMostAccurate).demand_rps;
  made.problem.demand_rps = most_rps * static_cast<double>(state.range(0)) / 1000;
  Allocation plan;
  for (auto _ : state) {
    plan = scale_hardware(made.problem);
    benchmark::DoNotOptimize(plan);
  }
  describe(state, made.problem, plan);
}

void largest_demand(benchmark::State& state, Make make) {
  LokiCase made;
  make(made);
  Allocation plan;
  for (auto _ : state) {
    plan = most_throughput(made.problem);
    benchmark::DoNotOptimize(plan);
  }
  made.problem.demand_rps = plan.demand_rps;
  describe(state, made.problem, plan);
}

void proteus(benchmark::State& state, Make make) {
  LokiCase made;
  make(made);
  const double demand_rps =
      most_throughput(made.problem).demand_rps * static_cast<double>(state.range(0)) / 1000;
  std::vector<double> by_task(made.pipeline.modules.size(), 0.0);
  for (const Task& task : made.pipeline.tasks) by_task[task.first] = demand_rps;
  SeparateAllocation plan;
  for (auto _ : state) {
    plan = proteus_allocation(made.problem, by_task);
    benchmark::DoNotOptimize(plan);
  }
  state.counters["accuracy"] = plan.accuracy;
  state.counters["served"] = plan.served;
}

BENCHMARK_CAPTURE(resource_manager, traffic, make_traffic)
    ->DenseRange(50, 950, 100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resource_manager, social, make_social)
    ->DenseRange(50, 950, 100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(accuracy_scaling, traffic, make_traffic)->Arg(20)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(accuracy_scaling, social, make_social)->Arg(20)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hardware_scaling, traffic, make_traffic)
    ->DenseRange(200, 1000, 200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hardware_scaling, social, make_social)
    ->DenseRange(200, 1000, 200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(largest_demand, traffic, make_traffic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(largest_demand, social, make_social)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(proteus, traffic, make_traffic)
    ->Arg(250)
    ->Arg(500)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
