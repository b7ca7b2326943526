// Batch-wait aggregation (PARD section 4.2): quantiles of 10,000 sampled sums, and the upkeep of the
// distribution.
#include <benchmark/benchmark.h>

#include <vector>

#include "harness/core/random_stream.h"
#include "systems/pard/batch_wait_sampler.h"
#include "systems/pard/wait_table.h"
#include "systems/pard/wait_window.h"

namespace harness {
namespace {

constexpr TimeNs kExec = 20 * kNsPerMs;
constexpr int kSamples = 10'000;

/// Measures one planner's quantile over this many later modules.
void wait_quantile(benchmark::State& state) {
  const WaitTable table = WaitTable::uniform(kExec);
  const std::vector<const WaitTable*> path(static_cast<std::size_t>(state.range(0)), &table);
  BatchWaitSampler sampler(1, 0, kSamples);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.quantile(path, 0.1));
}
BENCHMARK(wait_quantile)->DenseRange(1, 5);

/// Measures the cost of a chain of five modules per state period: four planners with 4, 3, 2 and 1 later
/// modules.
void five_module_chain(benchmark::State& state) {
  const WaitTable table = WaitTable::uniform(kExec);
  const std::vector<const WaitTable*> path(4, &table);
  std::vector<BatchWaitSampler> samplers;
  for (ModuleId module = 0; module < 4; ++module) samplers.emplace_back(1, module, kSamples);
  for (auto _ : state) {
    for (std::size_t k = 0; k < 4; ++k) {
      benchmark::DoNotOptimize(samplers[k].quantile(std::span(path).first(4 - k), 0.1));
    }
  }
}
BENCHMARK(five_module_chain);

void window_add(benchmark::State& state) {
  WaitWindow window(kSamples);
  window.set_exec(kExec);
  RandomStream random(1, "batch_wait_bench");
  std::vector<double> waits(kSamples);
  for (double& wait : waits) wait = random.uniform() * static_cast<double>(kExec);
  for (auto _ : state) {
    for (const double wait : waits) window.add(wait);
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
}
BENCHMARK(window_add);

void window_table(benchmark::State& state) {
  WaitWindow window(kSamples);
  window.set_exec(kExec);
  RandomStream random(1, "batch_wait_bench");
  for (int i = 0; i < kSamples; ++i) window.add(random.uniform() * static_cast<double>(kExec));
  for (auto _ : state) benchmark::DoNotOptimize(window.table());
}
BENCHMARK(window_table);

}  // namespace
}  // namespace harness
