// QUART's planner, one period: 40 stages (five models in eight) on 48 GPUs, 4,000 on 4,800, under a load that
// changes each period. Also simulated requests per second: BERT-21B in eight stages on 48 GPUs, planned every
// 100 ms, without batching; the argument is the seconds of load. For a comparison the same by naive with
// fixed replicas, and by QUART asked once in an hour.
#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/serving/test_params.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"
#include "systems/quart/quart_planner.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

constexpr ServerShape kServers{4, 108, 1024e3, 48e3};
constexpr double kExecS = 17.125e-3;

/// Chains of eight stages of BERT-21B, with streams of their own.
struct PlannerWorld {
  explicit PlannerWorld(std::size_t stages, int gpus)
      : profile(load_profiles("quart").profiles.at("bert-21b-8")) {
    pipeline.independent = true;
    for (std::size_t m = 0; m < stages; ++m) {
      Module module;
      module.name = "m" + std::to_string(m);
      if (m % 8 > 0) module.pres = {static_cast<ModuleId>(m - 1)};
      if (m % 8 < 7) module.subs = {static_cast<ModuleId>(m + 1)};
      pipeline.modules.push_back(std::move(module));
      if (m % 8 == 0) context.streams.push_back({static_cast<ModuleId>(m), ms_to_ns(274), 10});
    }
    context.pipeline = &pipeline;
    context.profiles.assign(stages, &profile);
    context.activation_ns.assign(stages, kNsPerS);
    context.slo_ns = ms_to_ns(274);
    context.workers = gpus;
    context.servers = kServers;
  }

  Profile profile;
  Pipeline pipeline;
  ServingContext context;
};

/// Returns loads with rates around 10/s and about 1 visit present per stage; in each period one stage of 20
/// has a burst before it.
std::vector<LoadStatistics> changing_loads(std::size_t stages) {
  RandomStream random(1, "quart_bench");
  std::vector<LoadStatistics> loads(64);
  for (LoadStatistics& load : loads) {
    for (std::size_t m = 0; m < stages; ++m) {
      load.module_rps.push_back(20 * random.uniform());
      ModuleStatistics module;
      module.present = random.below(20) == 0 ? 2 + random.below(20) : random.below(3);
      module.wait_ms = 10 * random.uniform();
      module.gaps = 2;
      module.gap_ms = 50;
      module.arrival_cv = 2 * random.uniform();
      load.modules.push_back(module);
    }
  }
  return loads;
}

void plan_period(benchmark::State& state) {
  const auto stages = static_cast<std::size_t>(state.range(0));
  const PlannerWorld world(stages, static_cast<int>(state.range(1)));
  const std::vector<LoadStatistics> loads = changing_loads(stages);
  const auto planner = make_quart_planner(world.context, {});
  LoadStatistics first{10, std::vector<double>(stages, 10)};
  Plan plan = planner->plan(0, first, {});
  TimeNs now = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    now += ms_to_ns(100);
    plan = planner->plan(now, loads[next++ % loads.size()], plan);
    benchmark::DoNotOptimize(plan.modules.data());
  }
}

RunSpec bert_cell(const char* system, double period_ms, double seconds) {
  RunSpec spec;
  spec.pipeline = load_pipeline("quart-bert");
  spec.profiles.assign(8, load_profiles("quart").profiles.at("bert-21b-8"));
  spec.slo_ns = spec.pipeline.slo_ns;
  spec.workers = 48;
  spec.servers = kServers;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start = ColdStart::kCached;
  spec.world.cold_start_ms = 100;
  spec.world.jitter = Jitter::kUniform;
  spec.world.jitter_fraction = 0.3;
  spec.system = find_system(system)->make();
  if (std::string(system) == "quart") set_params(*spec.system, {{"period_ms", period_ms}});
  TraceSpec trace;
  trace.name = trace.shape = "gamma";
  trace.cv = 2;
  trace.duration_s = seconds;
  spec.arrivals = make_arrivals(trace, 0.5 * 6 / kExecS, 1);
  return spec;
}

void simulate_bert(benchmark::State& state, const char* system, double period_ms) {
  const RunSpec spec = bert_cell(system, period_ms, static_cast<double>(state.range(0)));
  double requests = 0;
  for (auto _ : state) requests += static_cast<double>(simulate(spec, nullptr).sent);
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

BENCHMARK(plan_period)
    ->ArgNames({"stages", "gpus"})
    ->Args({40, 48})
    ->Args({4000, 4800})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulate_bert, quart, "quart", 100)->Arg(600)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_bert, quart_once, "quart", 1e6)->Arg(600)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_bert, naive, "naive", 0)->Arg(600)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
