// Simulated requests per second. lv under the tweet shape, SHEPHERD's profiles times 3, sizing factor 2, load
// 1.0, the cell of experiments/bench/lv-tweet.toml; arguments: workers, and the seconds of load at 64
// workers' rate. And FLEX on a group of 12 workers that serves 13 models; arguments: streams, and the load in
// percent.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/random.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/dispatch/dispatcher.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/spec/trace_spec.h"

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

/// Poisson arrivals of streams of equal rates.
class PoissonStreams final : public ArrivalSource {
 public:
  PoissonStreams(double rate_rps, std::size_t streams, TimeNs duration_ns)
      : rate_rps_(rate_rps), count_(streams), duration_ns_(duration_ns) {}
  std::size_t next(std::span<TimeNs> out) override {
    std::vector<StreamId> streams(out.size());
    return next(out, streams);
  }
  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      at_s_ += random_.exponential() / rate_rps_;
      out[i] = s_to_ns(at_s_);
      if (out[i] >= duration_ns_) return i;
      streams[i] = static_cast<StreamId>(random_.below(count_));
    }
    return out.size();
  }
  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<PoissonStreams>(rate_rps_, count_, duration_ns_);
  }
  TimeNs duration_ns() const override { return duration_ns_; }
  double expected_requests() const override { return rate_rps_ * ns_to_s(duration_ns_); }

 private:
  double rate_rps_;
  std::size_t count_;
  TimeNs duration_ns_;
  RandomStream random_{1, "simulation_bench"};
  double at_s_ = 0;
};

/// The first 13 models of SHEPHERD's Table 4, all on every one of 12 workers, each with as many of the
/// streams as the others. SLO: 250 ms, or three times the model's latency alone, if that is longer.
RunSpec make_group(std::size_t streams, double load) {
  RunSpec spec;
  spec.pipeline.name = "shepherd13";
  const ProfileSet set = load_profiles("shepherd-v100");
  double gpu_s = 0;  // of a request, on average, at the best batch sizes
  for (const char* model :
       {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnest50", "resnest101", "resnest200",
        "resnest269", "densenet121", "densenet161", "densenet169", "densenet201"}) {
    Module module;
    module.name = module.model = model;
    spec.pipeline.modules.push_back(std::move(module));
    spec.profiles.push_back(set.profiles.at(model));
    gpu_s += 1 / best_throughput_rps(spec.profiles.back(), spec.profiles.back().max_batch()) / 13;
  }
  for (std::size_t s = 0; s < streams; ++s) {
    const auto entry = static_cast<ModuleId>(s % spec.profiles.size());
    spec.streams.push_back({entry, std::max(ms_to_ns(250), 3 * spec.profiles[entry].latency(1)), 0});
    spec.slo_ns = std::max(spec.slo_ns, spec.streams.back().slo_ns);
  }
  spec.workers = 12;
  spec.system = find_system("shepherd")->make();
  const double rate_rps = load * spec.workers / gpu_s;
  spec.arrivals = std::make_unique<PoissonStreams>(rate_rps, streams, s_to_ns(1e6 / rate_rps));
  return spec;
}

void simulate_group(benchmark::State& state) {
  const RunSpec spec =
      make_group(static_cast<std::size_t>(state.range(0)), static_cast<double>(state.range(1)) / 100);
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
