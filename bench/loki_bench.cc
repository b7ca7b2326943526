// Loki's two programs at the paper's size (section 6.5: about 500 ms on average, by Gurobi): 20 workers;
// traffic analysis with 5 detectors, 8 car classifiers and 4 face models, social media with 5 classifiers and
// 4 captioners. The arguments are the first and the last demand, in thousandths of the largest that 20
// workers can carry.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"
#include "systems/loki/proteus_allocation.h"
#include "systems/loki/test_allocation_check.h"
#include "systems/loki/test_loki_cases.h"

namespace harness {
namespace {

using Make = void (*)(LokiCase&);

constexpr int kStep = 100;  // step between demands, in thousandths

void describe(benchmark::State& state, const AllocationProblem& problem, const Allocation& plan) {
  if (!check_allocation(problem, plan).empty()) return state.SkipWithError("the plan breaks a constraint");
  state.counters["demand_rps"] = problem.demand_rps;
  state.counters["workers"] = plan.total_workers();
  state.counters["accuracy"] = plan.accuracy;
  state.counters["gap"] = plan.gap;
  state.counters["nodes"] = static_cast<double>(plan.nodes);
}

using Allocate = Allocation (*)(const AllocationProblem&);

// Makes one plan of the Resource Manager: by hardware scaling or, if that finds no plan, by accuracy scaling.
Allocation resource_manager(const AllocationProblem& problem) {
  const Allocation plan = scale_hardware(problem);
  return plan.feasible ? plan : scale_accuracy(problem);
}

Allocation accuracy_scaling(const AllocationProblem& problem) { return scale_accuracy(problem); }

Allocation hardware_scaling(const AllocationProblem& problem) { return scale_hardware(problem); }

Allocation largest_demand(const AllocationProblem& problem) { return most_throughput(problem); }

// Plans for the demands from `first` to `last` thousandths of the largest that `variants` carry, one after
// the other: the counters describe the last plan, `per_plan` is the mean time of one.
void allocate(benchmark::State& state, Make make, Allocate allocation, Variants variants) {
  LokiCase made;
  make(made);
  const double most_rps = most_throughput(made.problem, {}, variants).demand_rps;
  const auto first = static_cast<int>(state.range(0)), last = static_cast<int>(state.range(1));
  Allocation plan;
  for (auto _ : state) {
    for (int part = first; part <= last; part += kStep) {
      made.problem.demand_rps = most_rps * part / 1000;
      plan = allocation(made.problem);
      benchmark::DoNotOptimize(plan);
    }
  }
  const int plans = (last - first) / kStep + 1;
  state.counters["per_plan"] =
      benchmark::Counter(plans, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  if (allocation == largest_demand) made.problem.demand_rps = plan.demand_rps;
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

// Sets each demand by itself, then all of them for the mean.
void each_demand(benchmark::internal::Benchmark* bench) {
  for (int part = 50; part <= 950; part += kStep) bench->Args({part, part});
  bench->Args({50, 950})->Unit(benchmark::kMillisecond);
}

void at_demands(benchmark::internal::Benchmark* bench, const std::vector<int>& parts) {
  for (const int part : parts) bench->Args({part, part});
  bench->Unit(benchmark::kMillisecond);
}

void add_all(const std::string& name, Make make) {
  const auto add = [&](const std::string& program, Allocate allocation, Variants variants) {
    return benchmark::RegisterBenchmark((program + "/" + name).c_str(), allocate, make, allocation, variants);
  };
  each_demand(add("resource_manager", resource_manager, Variants::kAll));
  at_demands(add("accuracy_scaling", accuracy_scaling, Variants::kAll), {20, 1000});
  at_demands(add("hardware_scaling", hardware_scaling, Variants::kMostAccurate), {200, 400, 600, 800, 1000});
  at_demands(add("largest_demand", largest_demand, Variants::kAll), {1000});
}

[[maybe_unused]] const bool kRegistered = [] {
  add_all("traffic", make_traffic);
  add_all("social", make_social);
  return true;
}();

BENCHMARK_CAPTURE(proteus, traffic, make_traffic)
    ->Arg(250)
    ->Arg(500)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
