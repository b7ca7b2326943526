// InferLine: query-stages/s of its Estimator, the time of one plan, of an arrival in a traffic envelope and
// of a decision of the Tuner, and requests/s of the simulator with the Tuner on. Profiles and prices are the
// authors' (workloads/profiles/inferline-aws.toml): 512 vCPUs, 128 K80s, 64 V100s.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"
#include "systems/inferline/envelope_tuner.h"
#include "systems/inferline/exact_plan.h"
#include "systems/inferline/foresight_tuner.h"
#include "systems/inferline/greedy_planner.h"
#include "systems/inferline/traffic_envelope.h"
#include "systems/inferline/tuned_pipeline.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

/// Returns the description of a trace with gamma arrivals.
TraceSpec gamma_trace(double duration_s, double cv = 1) {
  TraceSpec trace;
  trace.name = trace.shape = "gamma";
  trace.cv = cv;
  trace.duration_s = duration_s;
  return trace;
}

std::vector<TimeNs> times_of(const ArrivalSource& source) {
  std::vector<TimeNs> times;
  for (ArrivalCursor cursor(source.restarted()); cursor.next_ns() != kNever; cursor.advance())
    times.push_back(cursor.next_ns());
  return times;
}

std::vector<TimeNs> gamma_times(double rate_rps, double duration_s) {
  return times_of(*make_arrivals(gamma_trace(duration_s), rate_rps, 1));
}

std::vector<ClusterDevice> paper_devices(const Pipeline& pipeline) {
  std::vector<ClusterDevice> devices = {
      {"vcpu", 512, 0.0665, {}}, {"k80", 128, 0.7005, {}}, {"v100", 64, 2.5945, {}}};
  const ProfileSet set = load_profiles("inferline-aws");
  for (ClusterDevice& device : devices) {
    const auto& models = set.devices.at(device.name);
    for (const Module& module : pipeline.modules) {
      const auto found = models.find(module.model);
      device.profiles.push_back(found == models.end() ? std::nullopt : std::optional(found->second));
    }
  }
  return devices;
}

/// A pipeline on the cluster.
struct World {
  explicit World(const char* name) : pipeline(load_pipeline(name)), devices(paper_devices(pipeline)) {
    context.pipeline = &pipeline;
    context.devices = devices;
    context.slo_ns = pipeline.slo_ns;
  }
  World(const World&) = delete;

  Pipeline pipeline;
  std::vector<ClusterDevice> devices;
  ServingContext context;
};

/// Returns the greedy plan for these arrivals; the figures are taken with it.
Configuration greedy_plan(const World& world, const Hardware& hardware, std::vector<TimeNs> times) {
  const auto sample_ns = times.back();
  Estimator estimator(world.pipeline, hardware, std::move(times), 1);
  GreedyPlanner planner(world.pipeline, hardware, estimator, sample_ns, world.context.slo_ns, {});
  return planner.plan();
}

/// Measures the Estimator. The arguments are the queries/s and the length of the load in seconds.
void estimate(benchmark::State& state, const char* pipeline) {
  const World world(pipeline);
  const Hardware hardware(world.context);
  const auto rate_rps = static_cast<double>(state.range(0));
  const Configuration plan = greedy_plan(world, hardware, gamma_times(rate_rps, 50'000 / rate_rps));
  Estimator estimator(world.pipeline, hardware, gamma_times(rate_rps, static_cast<double>(state.range(1))),
                      1);
  // The replicas of the entry change in turn, so that nothing can be taken over from the last runs, which are
  // kept.
  constexpr int kDifferent = 4;
  const int first = plan.front().replicas;
  Configuration configuration = plan;
  double visits = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(estimator.latencies(configuration).data());
    configuration.front().replicas = first + (configuration.front().replicas - first + 1) % kDifferent;
    visits += static_cast<double>(estimator.visits());
  }
  state.counters["query-stages/s"] = benchmark::Counter(visits, benchmark::Counter::kIsRate);
  state.counters["query-stages"] = static_cast<double>(estimator.visits());
}

/// Makes one plan from the sample alone. The arguments are the number of queries and the queries/s.
void plan(benchmark::State& state, const char* pipeline) {
  const World world(pipeline);
  const Hardware hardware(world.context);
  const auto rate_rps = static_cast<double>(state.range(1));
  const std::vector<TimeNs> times = gamma_times(rate_rps, static_cast<double>(state.range(0)) / rate_rps);
  int simulations = 0;
  double cost = 0;
  for (auto _ : state) {
    Estimator estimator(world.pipeline, hardware, times, 1);
    GreedyPlanner planner(world.pipeline, hardware, estimator, times.back(), world.context.slo_ns, {});
    cost = hardware.cost(planner.plan());
    simulations = planner.simulations();
  }
  state.counters["simulations"] = simulations;
  state.counters["usd/h"] = cost;
}

/// Runs the exact search from the greedy plan on, for 300 s of load. The arguments are the number of kinds of
/// devices, the squared CV, the SLO in ms and the queries/s.
void optimal(benchmark::State& state, const char* pipeline) {
  World world(pipeline);
  world.devices.resize(static_cast<std::size_t>(state.range(0)));
  world.context.devices = world.devices;
  const Hardware hardware(world.context);
  const TraceSpec trace = gamma_trace(300, std::sqrt(static_cast<double>(state.range(1))));
  const std::vector<TimeNs> times = times_of(*make_sample(trace, static_cast<double>(state.range(3)), 1));
  const TimeNs slo_ns = ms_to_ns(static_cast<double>(state.range(2)));
  constexpr int kMaxSimulations = 20'000;  // the default
  ExactPlan found;
  double greedy_cost = 0;
  for (auto _ : state) {
    Estimator estimator(world.pipeline, hardware, times, ~std::uint64_t{1});
    GreedyPlanner planner(world.pipeline, hardware, estimator, 300 * kNsPerS, slo_ns, {});
    const Configuration greedy = planner.plan();
    greedy_cost = hardware.cost(greedy);
    found = exact_plan(world.pipeline, hardware, estimator, planner, slo_ns, kMaxSimulations, greedy);
  }
  const double cost = hardware.cost(found.configuration);
  state.counters["greedy_usd/h"] = greedy_cost;
  state.counters["usd/h"] = cost;
  state.counters["greedy/optimal"] = greedy_cost / cost;
  state.counters["bound"] = found.bound;
  state.counters["proven"] = found.is_proven ? 1 : 0;
  state.counters["simulations"] = found.simulations;
}

void envelope_arrival(benchmark::State& state) {
  const std::vector<TimeNs> times = gamma_times(300, 3600);
  double arrivals = 0;
  for (auto _ : state) {
    TrafficEnvelope envelope(50 * kNsPerMs, 60 * kNsPerS);
    for (const TimeNs time : times) envelope.add(time);
    benchmark::DoNotOptimize(envelope.most().data());
    arrivals += static_cast<double>(times.size());
  }
  state.counters["per_arrival"] =
      benchmark::Counter(arrivals, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Makes a decision each second at this many queries/s; the envelope of that second is included.
void tuner_decision(benchmark::State& state) {
  const World world("social-posts");
  const Hardware hardware(world.context);
  const auto rate_rps = static_cast<double>(state.range(0));
  const std::vector<TimeNs> sample = gamma_times(rate_rps, 300);
  TunedPipeline tuned;
  tuned.planned = greedy_plan(world, hardware, sample);
  tuned.first = tuned.planned;
  tuned.rate_rps = rate_rps;
  tuned.service_ns = hardware.service_ns(tuned.planned);
  std::vector<int> replicas;
  for (ModuleId m = 0; m < tuned.planned.size(); ++m) {
    tuned.models.push_back({1, hardware.replica_rps(m, tuned.planned[m]), 0.7});
    replicas.push_back(tuned.planned[m].replicas);
  }
  const std::vector<TimeNs> times = gamma_times(rate_rps, 3600);
  double decisions = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto tuner = make_envelope_tuner(tuned, {}, sample, 300 * kNsPerS);
    std::vector<int> current = replicas;
    std::size_t next = 0;
    state.ResumeTiming();
    for (TimeNs now = kNsPerS; next < times.size(); now += kNsPerS) {
      const std::size_t first = next;
      while (next < times.size() && times[next] < now) ++next;
      current = tuner->replicas(now, std::span(times).subspan(first, next - first), current);
      ++decisions;
    }
    benchmark::DoNotOptimize(current.data());
  }
  state.counters["per_decision"] =
      benchmark::Counter(decisions, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Makes a decision each second of an hour at this many queries/s, by the arrivals of the seconds ahead;
/// computing the need of these seconds is included.
void foresight_decision(benchmark::State& state) {
  World world("social-posts");
  const Hardware hardware(world.context);
  const auto rate_rps = static_cast<double>(state.range(0));
  const Configuration planned = greedy_plan(world, hardware, gamma_times(rate_rps, 300));
  PlanningTimes planning;
  planning.run = gamma_times(rate_rps, 3600);
  world.context.planning = &planning;
  world.context.activation_ns.assign(planned.size(), 5 * kNsPerS);
  double decisions = 0;
  for (auto _ : state) {
    const auto tuner = make_foresight_tuner(world.context, hardware, planned, kNsPerS);
    for (TimeNs now = 0; now < 3600 * kNsPerS; now += kNsPerS) {
      benchmark::DoNotOptimize(tuner->replicas(now, {}, {}).data());
      ++decisions;
    }
  }
  state.counters["per_decision"] =
      benchmark::Counter(decisions, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Simulates the whole run: its plan by a sample of 50,000 queries, and the load. The arguments are the
/// queries/s and the length of the load in seconds.
void simulate_tuned(benchmark::State& state, const char* pipeline) {
  const auto rate_rps = static_cast<double>(state.range(0));
  RunSpec spec;
  spec.pipeline = load_pipeline(pipeline);
  spec.devices = paper_devices(spec.pipeline);
  for (std::size_t m = 0; m < spec.pipeline.modules.size(); ++m) {
    for (const ClusterDevice& device : spec.devices) {
      if (spec.profiles.size() == m && device.profiles[m]) spec.profiles.push_back(*device.profiles[m]);
    }
  }
  for (const ClusterDevice& device : spec.devices) spec.workers += device.count;
  --spec.workers;
  spec.slo_ns = spec.pipeline.slo_ns;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start_ms = 5000;
  spec.system = find_system("inferline")->make();
  auto planning = std::make_shared<PlanningTimes>();
  planning->sample_ns = s_to_ns(50'000 / rate_rps);
  planning->sample = times_of(*make_sample(gamma_trace(50'000 / rate_rps), rate_rps, 1));
  spec.planning = std::move(planning);
  const auto seconds = static_cast<double>(state.range(1));
  spec.arrivals = make_arrivals(gamma_trace(seconds), rate_rps, 1);
  settle_devices(spec, initial_plan(spec, rate_rps));
  double requests = 0;
  for (auto _ : state) requests += static_cast<double>(simulate(spec, nullptr).sent);
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

void each_cell(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"kinds", "scv", "slo_ms", "rps"})
      ->ArgsProduct({{2, 3}, {1, 4}, {300, 500}, {50, 150, 300}})
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(estimate, chain, "image-processing")
    ->ArgNames({"rps", "s"})
    ->Args({150, 333})
    ->Args({150, 3600})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, dag, "social-posts")
    ->ArgNames({"rps", "s"})
    ->Args({150, 333})
    ->Args({150, 3600})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, dag, "social-posts")
    ->ArgNames({"queries", "rps"})
    ->ArgsProduct({{50'000}, {50, 150, 300}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(optimal, chain, "image-processing")->Apply(each_cell);
BENCHMARK_CAPTURE(optimal, cascade, "tf-cascade")->Apply(each_cell);
BENCHMARK_CAPTURE(optimal, branches, "video-monitoring")->Apply(each_cell);
BENCHMARK_CAPTURE(optimal, dag, "social-posts")->Apply(each_cell);
BENCHMARK(envelope_arrival)->Unit(benchmark::kMillisecond);
BENCHMARK(tuner_decision)->ArgName("rps")->Arg(150)->Arg(300)->Unit(benchmark::kMillisecond);
BENCHMARK(foresight_decision)->ArgName("rps")->Arg(150)->Arg(300)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_tuned, chain, "image-processing")
    ->ArgNames({"rps", "s"})
    ->Args({300, 3600})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
