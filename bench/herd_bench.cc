// HERD's plan (SHEPHERD, Table 5): as many models as GPUs, 1,000 streams each. The paper's solver takes
// 0.55, 2.51, 4.28, 8.53 and 13.26 s for 200, 400, 600, 800 and 1,000 models on 64 cores.
//
// Models are those of Table 4 in turn, with their published sizes, on GPUs of 16 GiB. Stream rates are
// log-normal (sigma 2: heavy-tailed, as in the Azure trace), scaled so that the average load needs half of
// all GPUs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/core/random.h"
#include "systems/shepherd/herd.h"
#include "systems/shepherd/herd_check.h"
#include "systems/shepherd/test_herd_cases.h"

namespace harness {
namespace {

constexpr int kStreamsPerModel = 1000;
constexpr double kSigma = 2;
constexpr double kLoad = 0.5;
constexpr std::int64_t kGpuBytes = std::int64_t{16} << 30;

struct Case {
  HerdInput input;  // rates not set
  std::vector<HerdStream> streams;
};

Case table5(int models) {
  Case made;
  made.input.gpus = models;
  made.input.gpu_bytes = kGpuBytes;
  RandomStream random(1, "herd_bench");
  double needed = 0;
  for (int i = 0; i < models; ++i) {
    HerdModel model = table4_model(static_cast<std::size_t>(i));
    model.goodput_rps = table4_goodput_rps(model);
    for (int s = 0; s < kStreamsPerModel; ++s) {
      const double rate_rps = portable_exp(kSigma * random.normal());
      made.streams.push_back({i, rate_rps});
      needed += rate_rps / model.goodput_rps;
    }
    made.input.models.push_back(std::move(model));
  }
  for (HerdStream& stream : made.streams) stream.rate_rps *= kLoad * models / needed;
  return made;
}

double largest_load(const HerdInput& input, const HerdPlan& plan) {
  double largest = 0;
  for (const HerdGroup& group : plan.groups) {
    double load = 0;
    for (std::size_t i = 0; i < group.models.size(); ++i) {
      const HerdModel& model = input.models[static_cast<std::size_t>(group.models[i])];
      load += model.rate_rps / model.goodput_rps * group.shares[i] / input.params.shares;
    }
    largest = std::max(largest, load / group.gpus);
  }
  return largest;
}

// Aggregation of the streams and the plan; the counters describe the plan.
void plan(benchmark::State& state, int max_groups, int group_worker_limit, bool spread) {
  const int models = static_cast<int>(state.range(0));
  Case made = table5(models);
  made.input.params.max_groups = max_groups;
  made.input.params.group_worker_limit = group_worker_limit;
  made.input.params.spread = spread;
  HerdPlan result;
  for (auto _ : state) {
    const std::vector<double> rates = aggregate_rates(models, made.streams);
    for (std::size_t i = 0; i < rates.size(); ++i) made.input.models[i].rate_rps = rates[i];
    result = plan_herd(made.input);
    benchmark::DoNotOptimize(result);
  }
  if (result.groups.empty()) return state.SkipWithError(result.reason.c_str());
  if (!herd_violations(made.input, result).empty())
    return state.SkipWithError("the plan breaks a constraint");
  state.counters["tolerance"] = result.min_burst_tolerance;
  state.counters["gap"] = result.gap;
  state.counters["groups"] = static_cast<double>(result.groups.size());
  state.counters["largest_load"] = largest_load(made.input, result);
}

// Table 5 as read here: ten groups, none with more than a tenth of the GPUs.
void ten_groups(benchmark::State& state) { plan(state, 10, static_cast<int>(state.range(0) / 10), true); }
// At most ten groups of any size.
void ten_groups_of_any_size(benchmark::State& state) { plan(state, 10, 0, true); }
// The limit of the paper's evaluation.
void groups_of_12(benchmark::State& state) { plan(state, 0, 12, true); }
void groups_of_12_not_spread(benchmark::State& state) { plan(state, 0, 12, false); }
// Reading the rates alone.
void aggregation(benchmark::State& state) {
  const int models = static_cast<int>(state.range(0));
  const Case made = table5(models);
  for (auto _ : state) benchmark::DoNotOptimize(aggregate_rates(models, made.streams));
}

BENCHMARK(ten_groups)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(ten_groups_of_any_size)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(groups_of_12)->DenseRange(200, 1000, 200)->Unit(benchmark::kMillisecond);
BENCHMARK(groups_of_12_not_spread)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(aggregation)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
