// Loki's routing tables (Algorithm 1), made again as they are once a second: the paper's Load Balancer takes
// 0.15 ms on average (section 6.5, 20 workers). Also the cost of a visit that is sent on by them.
//
// The pipelines have the paper's shapes: traffic analysis, 5 detectors before 8 classifiers of cars and 2 of
// faces; social media, 5 classifiers before 4 captioners. Workers serve the variants in turn; demand is a
// share of the load that the first task can take (0.5: half of it is idle; 2: it overflows).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/pipeline.h"
#include "harness/core/task_spec.h"
#include "systems/loki/most_accurate_first.h"
#include "systems/loki/next_worker.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/table_draws.h"

namespace harness {
namespace {

TaskSpec task(const std::string& name, int variants, std::vector<std::string> subs) {
  TaskSpec spec{name, std::move(subs), {}};
  for (int v = 0; v < variants; ++v) {
    Module module;
    module.model = "v" + std::to_string(v);
    module.accuracy = 1 - 0.05 * v;
    module.fan_out.assign(spec.subs.size(), 1.5 - 0.1 * v);
    spec.variants.push_back(module);
  }
  return spec;
}

enum Shape : int { kTraffic, kSocial };

struct Case {
  Pipeline pipeline;
  std::vector<RoutedWorker> workers;
  std::vector<std::vector<double>> fan_out;
  double root_rps = 0;  // capacity
};

Case make_case(Shape shape, int workers) {
  Case made;
  const std::vector<TaskSpec> traffic = {task("detect", 5, {"cars", "faces"}), task("cars", 8, {}),
                                         task("faces", 2, {})};
  const std::vector<TaskSpec> social = {task("classify", 5, {"caption"}), task("caption", 4, {})};
  if (!link_tasks(made.pipeline, shape == kTraffic ? traffic : social).empty()) return {};
  const std::size_t modules = made.pipeline.modules.size();
  for (int w = 0; w < workers; ++w) {
    const auto module = static_cast<ModuleId>(static_cast<std::size_t>(w) % modules);
    made.workers.push_back(
        {static_cast<WorkerId>(w), module, 50.0 + 10 * module, ms_to_ns(80.0 - 4 * module)});
    if (made.pipeline.task_of(module) == 0) made.root_rps += made.workers.back().capacity_rps;
  }
  for (const Module& module : made.pipeline.modules) made.fan_out.push_back(module.fan_out);
  return made;
}

void tables(benchmark::State& state, Shape shape, Overflow overflow, Ties ties) {
  const Case made = make_case(shape, static_cast<int>(state.range(0)));
  const double demand_rps = made.root_rps * static_cast<double>(state.range(1)) / 100;
  MostAccurateFirst router(made.pipeline, overflow, ties);
  RoutingTables result;
  router.build(made.workers, made.fan_out, demand_rps, result);
  const std::int64_t allocated = allocations();
  for (auto _ : state) {
    router.build(made.workers, made.fan_out, demand_rps, result);
    benchmark::DoNotOptimize(result);
  }
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
}
void traffic(benchmark::State& state) { tables(state, kTraffic, Overflow::kEqual, Ties::kFill); }
void traffic_spread(benchmark::State& state) { tables(state, kTraffic, Overflow::kEqual, Ties::kSpread); }
void social(benchmark::State& state) { tables(state, kSocial, Overflow::kEqual, Ties::kFill); }

// Sends on a visit that is within its budget, and one that is behind and rerouted.
void send_on(benchmark::State& state) {
  const Case made = make_case(kTraffic, 20);
  RoutingTables result;
  MostAccurateFirst(made.pipeline, Overflow::kEqual, Ties::kFill)
      .build(made.workers, made.fan_out, made.root_rps / 2, result);
  const TimeNs behind_ns = ms_to_ns(static_cast<double>(state.range(0)));
  TableDraws draws(Draw::kRandom, 1, "bench", 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        next_worker(EarlyDropping::kReroute, behind_ns, result.from(0, 0), result.backups(1), 0, draws));
  }
}

BENCHMARK(traffic)->ArgNames({"workers", "load"})->ArgsProduct({{20, 100, 500}, {50, 100, 200}});
BENCHMARK(traffic_spread)->ArgNames({"workers", "load"})->ArgsProduct({{20, 100}, {50, 100, 200}});
BENCHMARK(social)->ArgNames({"workers", "load"})->ArgsProduct({{20, 100, 500}, {50, 100, 200}});
BENCHMARK(send_on)->ArgName("behind_ms")->Arg(0)->Arg(5);

}  // namespace
}  // namespace harness
