// Simulated requests per second: lv under the tweet shape, SHEPHERD's profiles times 3, sizing factor 2,
// load 1.0, the cell of experiments/bench/lv-tweet.toml. Arguments: workers, and the seconds of load at 64
// workers' rate.
#include <benchmark/benchmark.h>

#include "harness/engine/cluster.h"
#include "harness/engine/fluid_bound.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"
#include "workloads/catalogue.h"
#include "workloads/trace_spec.h"

namespace harness {
namespace {

RunSpec make_cell(const char* system, int workers, double duration_s) {
  RunSpec spec;
  spec.pipeline = load_pipeline("lv");
  const ProfileSet set = load_profiles("shepherd-v100");
  for (const Module& module : spec.pipeline.modules)
    spec.profiles.push_back(scaled(set.profiles.at(module.model), 3));
  spec.slo_ns = spec.pipeline.slo_ns;
  spec.workers = workers;
  spec.system = find_system(system)->make();
  TraceSpec trace;
  trace.name = trace.shape = "tweet";
  trace.duration_s = duration_s * 64 / workers;
  const double capacity = capacity_rps(make_context(spec), initial_plan(spec, 1000));
  spec.arrivals = make_arrivals(trace, capacity, 1);
  return spec;
}

void simulate_lv(benchmark::State& state, const char* system) {
  const RunSpec spec =
      make_cell(system, static_cast<int>(state.range(0)), static_cast<double>(state.range(1)));
  double requests = 0;
  for (auto _ : state) requests += static_cast<double>(simulate(spec, nullptr).sent);
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

void fluid_bound_lv(benchmark::State& state) {
  const RunSpec spec = make_cell("naive", 64, 600);
  const RunRecord record = simulate(spec, nullptr);
  double requests = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fluid_bound(spec, record));
    requests += static_cast<double>(record.sent);
  }
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(simulate_lv, naive, "naive")
    ->Args({64, 600})
    ->Args({512, 1200})
    ->Args({4096, 3840})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_lv, clipperpp, "clipperpp")->Args({64, 600})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_lv, nexus, "nexus")->Args({64, 600})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_lv, pard, "pard")
    ->Args({64, 600})
    ->Args({512, 1200})
    ->Args({4096, 3840})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fluid_bound_lv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
