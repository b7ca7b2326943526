// QUART's placement (section 6): the cost of one decision for an instance, of an instance that starts, and of
// one that leaves, on servers of 4 GPUs. The aim is well below 20 us on 12 servers with 40 stages.
//
// Every stage has an instance on some server and a copy there; an eighth of the stages are key stages, so
// that the case `spread` takes the way with the gradient descent (key stages outnumber servers with 2 free
// GPUs).
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/random_stream.h"
#include "systems/quart/dispersion.h"
#include "systems/quart/keys_placement.h"
#include "systems/quart/quart_plan_details.h"

namespace harness {
namespace {

struct World {
  World(std::size_t servers, std::size_t stages, int free_gpus) : profiles(stages), views(servers) {
    for (Profile& profile : profiles) {
      profile.memory_mb = 5375;
      context.profiles.push_back(&profile);
    }
    context.servers = {4, 108, 1'024'000, 48'000};
    for (ServerView& view : views) {
      view.free_gpus = free_gpus;
      view.free_cores = 108;
      view.free_memory_mb = 20'000;  // more than 85 % are in use: copies go
      view.modules.resize(stages);
    }
    auto notes = std::make_shared<QuartPlanDetails>();
    plan.modules.resize(stages);
    for (std::size_t m = 0; m < stages; ++m) {
      notes->is_key.push_back(m % 8 == 0 ? 1 : 0);
      for (const std::size_t server : {m % servers, (m + 1) % servers}) {
        ServerModule& module = views[server].modules[m];
        module.instances = server == m % servers ? 1 : 0;
        module.is_kept = true;
        module.used_ns = static_cast<TimeNs>(m);
      }
    }
    plan.details = std::move(notes);
    placement = make_keys_placement(context, {});
    placement->on_plan(0, plan);
  }

  std::vector<Profile> profiles;
  ServingContext context;
  std::vector<ServerView> views;
  Plan plan;
  std::unique_ptr<Placement> placement;
};

void place(benchmark::State& state, int free_gpus, ModuleId module) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), free_gpus);
  world.placement->place(0, module, world.views);
  const std::int64_t allocated = allocations();
  for (auto _ : state) benchmark::DoNotOptimize(world.placement->place(0, module, world.views));
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
}
void place_spread(benchmark::State& state) { place(state, 1, 0); }
void place_key(benchmark::State& state) { place(state, 3, 0); }
void place_other(benchmark::State& state) { place(state, 1, 1); }

void plan(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  const std::int64_t allocated = allocations();
  for (auto _ : state) world.placement->on_plan(0, world.plan);
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
}

void start_and_leave(benchmark::State& state) {
  World world(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  MemoryDecisions decisions;
  world.placement->on_started(0, 0, 0, world.views[0], decisions);
  const std::int64_t allocated = allocations();
  for (auto _ : state) {
    decisions.clear();
    world.placement->on_started(0, 0, 0, world.views[0], decisions);
    decisions.clear();
    world.placement->on_left(0, 0, 0, world.views[0], decisions);
    benchmark::DoNotOptimize(decisions.list().data());
  }
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
}

// Disperses random rows, and rows with all on one server, to the threshold.
void disperse(benchmark::State& state) {
  const auto servers = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<double>> rows(64, std::vector<double>(servers, 0.0));
  RandomStream random(1, "bench.disperse");
  for (std::vector<double>& row : rows) {
    double sum = 0;
    for (double& p : row) sum += p = state.range(1) == 0 ? random.exponential() : 0;
    for (double& p : row) p = state.range(1) == 0 ? p / sum : 0;
    if (state.range(1) != 0) row[random.below(servers)] = 1;
  }
  Dispersion dispersion;
  std::vector<double> row = rows[0];
  dispersion.disperse(row, 0.001);
  const std::int64_t allocated = allocations();
  std::int64_t steps = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    std::copy(rows[next % rows.size()].begin(), rows[next % rows.size()].end(), row.begin());
    steps += dispersion.disperse(row, 0.001);
    ++next;
    benchmark::DoNotOptimize(row.data());
  }
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(next);
}

const std::vector<std::int64_t> kPaper = {12, 40};
const std::vector<std::int64_t> kLarge = {1200, 4000};
#define QUART_BENCHMARK(name) \
  BENCHMARK(name)->ArgNames({"servers", "stages"})->Args(kPaper)->Args(kLarge)->Unit(benchmark::kMicrosecond)
QUART_BENCHMARK(place_spread);
QUART_BENCHMARK(place_key);
QUART_BENCHMARK(place_other);
QUART_BENCHMARK(plan);
QUART_BENCHMARK(start_and_leave);
BENCHMARK(disperse)
    ->ArgNames({"servers", "one_hot"})
    ->ArgsProduct({{12, 1200}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace harness
