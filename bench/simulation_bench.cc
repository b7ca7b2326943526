// Simulated requests per second: of lv, with the workers and the seconds of load at 64 workers' rate as
// arguments; and of FLEX on a group of 12 workers that serves 13 models, with the streams and the load in
// percent as arguments.
#include <benchmark/benchmark.h>

#include "bench/simulated_cells.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

void simulate_lv(benchmark::State& state, const char* system) {
  const RunSpec spec =
      make_lv_cell(system, static_cast<int>(state.range(0)), static_cast<double>(state.range(1)));
  double requests = 0;
  for (auto _ : state) requests += static_cast<double>(simulate(spec, nullptr).sent);
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

void fluid_bound_lv(benchmark::State& state) {
  const RunSpec spec = make_lv_cell("naive", 64, 600);
  const RunRecord record = simulate(spec, nullptr);
  double requests = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fluid_bound(spec, record));
    requests += static_cast<double>(record.sent);
  }
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

void simulate_group(benchmark::State& state) {
  const RunSpec spec = make_group_cell(static_cast<std::size_t>(state.range(0)),
                                       static_cast<double>(state.range(1)) / 100, 1e6);
  double requests = 0;
  double in_time = 0;
  for (auto _ : state) {
    const RunRecord record = simulate(spec, nullptr);
    requests += static_cast<double>(record.sent);
    in_time += static_cast<double>(record.in_time);
  }
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
  state.counters["in_time"] = in_time / requests;
}

BENCHMARK(simulate_group)
    ->ArgNames({"streams", "load"})
    ->ArgsProduct({{13, 1300}, {20, 70, 150}})
    ->Unit(benchmark::kMillisecond);
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
BENCHMARK_CAPTURE(simulate_lv, reserve, "reserve")->Args({64, 600})->Unit(benchmark::kMillisecond);
BENCHMARK(fluid_bound_lv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
