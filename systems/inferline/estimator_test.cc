#include "systems/inferline/estimator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/sim/test_random_cells.h"
#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::engine_latencies;

/// The engine's cell of a configuration on one kind of device.
RunSpec cell_of(Pipeline pipeline, std::vector<Profile> profiles, const Configuration& configuration,
                std::vector<TimeNs> times, std::uint64_t seed) {
  std::vector<ModuleOverride> overrides;
  for (const ModelConfiguration& model : configuration)
    overrides.push_back({model.max_batch, model.replicas});
  const TimeNs duration_ns = times.empty() ? kNsPerS : times.back() + 1;
  RunSpec spec = testing::make_spec("naive", std::move(pipeline), std::move(profiles), std::move(overrides),
                                    s_to_ns(1e4), std::move(times), duration_ns);
  spec.workers += 1;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.planner.max_batch = 1024;
  spec.seed = seed;
  return spec;
}

std::vector<TimeNs> estimated(const RunSpec& spec, const Configuration& configuration,
                              const std::vector<TimeNs>& times) {
  const ServingContext context = make_context(spec);
  const Hardware hardware(context);
  Estimator estimator(spec.pipeline, hardware, times, spec.seed);
  const auto latencies = estimator.latencies(configuration);
  return {latencies.begin(), latencies.end()};
}

// Section 4.2: "the Estimator ... faithfully simulates": each query's latency is the engine's, to the
// nanosecond, on any pipeline with any choice of branches, also where many things happen at one moment.
TEST(Estimator, IsTheEngineQueryByQuery) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, "test.estimator");
    const std::uint64_t shape = random.below(4);
    const Pipeline pipeline =
        shape == 0 ? testing::chain(1 + random.below(4)) : testing::random_pipeline(random);
    const std::size_t modules = pipeline.modules.size();
    // Half of the cases have latencies and gaps of whole milliseconds, so that events coincide.
    const bool is_coarse = random.below(2) == 0;
    std::vector<Profile> profiles;
    Configuration configuration;
    for (std::size_t m = 0; m < modules; ++m) {
      const double item_ms =
          is_coarse ? 1 + static_cast<double>(random.below(4)) : 0.5 + 4 * random.uniform();
      const double fixed_ms = is_coarse ? static_cast<double>(random.below(5)) : 5 * random.uniform();
      const int max_batch = 1 + static_cast<int>(random.below(16));
      profiles.push_back(testing::linear_profile("m" + std::to_string(m), item_ms, fixed_ms, max_batch));
      const int batch = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(max_batch)));
      configuration.push_back({0, batch, 1 + static_cast<int>(random.below(5))});
    }
    std::vector<TimeNs> times =
        testing::poisson_times(50 + 500 * random.uniform(), 2 * kNsPerS, random.bits());
    if (is_coarse) {
      for (TimeNs& time : times) time -= time % kNsPerMs;
    }
    const RunSpec spec = cell_of(pipeline, profiles, configuration, times, random.bits());
    ASSERT_EQ(estimated(spec, configuration, times), engine_latencies(spec)) << "seed " << seed;
  }
}

// The results that are kept from one configuration to the next change nothing: on a walk from one
// configuration to another each query's latency equals the latency from an estimator which has seen no other,
// and the verdict equals P99's.
TEST(Estimator, KeepsOnlyWhatHolds) {
  int feasible = 0;
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "test.estimator.walk");
    const auto world = testing::random_inferline_world(random);
    if (random.below(2) == 0) {
      for (TimeNs& time : world->planning.sample) time -= time % kNsPerMs;
    }
    const Hardware hardware(world->context);
    Estimator walking(world->pipeline, hardware, world->planning.sample, 1);
    Configuration configuration;
    for (ModuleId m = 0; m < world->pipeline.modules.size(); ++m)
      configuration.push_back({hardware.fastest(m), 1, 2});
    for (int step = 0; step < 30; ++step) {
      const auto m = static_cast<ModuleId>(random.below(configuration.size()));
      ModelConfiguration& model = configuration[m];
      const auto device = static_cast<std::uint16_t>(random.below(hardware.kinds()));
      if (hardware.find_profile(m, device) != nullptr) model.device = device;
      const int most = std::min(8, hardware.profile(m, model).max_batch());
      model.max_batch = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
      model.replicas = 1 + static_cast<int>(random.below(step % 2 == 0 ? 4 : 40));
      Estimator fresh(world->pipeline, hardware, world->planning.sample, 1);
      const bool meets = fresh.p99_ns(configuration) <= world->context.slo_ns;
      ASSERT_EQ(walking.meets(configuration, world->context.slo_ns), meets) << "seed " << seed;
      ++(meets ? feasible : infeasible);
      if (random.below(2) == 0) continue;
      ASSERT_TRUE(std::ranges::equal(walking.latencies(configuration), fresh.latencies(configuration)))
          << "seed " << seed << ", step " << step;
    }
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 100);
}

/// Mean wait of M/D/1: rho d / (2 (1 - rho)).
TEST(Estimator, AgreesWithPollaczekAndKhinchin) {
  const double load = 0.7;
  const TimeNs exec_ns = 10 * kNsPerMs;
  const std::vector<TimeNs> times = testing::poisson_times(load / 0.01, 20'000 * kNsPerS, 5);
  const RunSpec spec =
      cell_of(testing::chain(1), {testing::linear_profile("m0", 10, 0, 1)}, {{0, 1, 1}}, times, 1);
  double sum_ns = 0;
  for (const TimeNs latency : estimated(spec, {{0, 1, 1}}, times)) sum_ns += static_cast<double>(latency);
  const double wait_ms = sum_ns / static_cast<double>(times.size()) / 1e6 - ns_to_ms(exec_ns);
  EXPECT_NEAR(wait_ms, load * 10 / (2 * (1 - load)), 0.02 * wait_ms);
}

/// P99 of 200 queries allows two to be later.
TEST(Estimator, CountsWhatMayMiss) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 200; ++i) times.push_back(i * kNsPerS);
  times[10] = times[9];  // waits one service time
  times[20] = times[19];
  const RunSpec spec =
      cell_of(testing::chain(1), {testing::linear_profile("m0", 10, 0, 1)}, {{0, 1, 1}}, times, 1);
  const ServingContext context = make_context(spec);
  const Hardware hardware(context);
  Estimator two_late(spec.pipeline, hardware, times, 1);
  EXPECT_EQ(two_late.p99_ns({{0, 1, 1}}), 10 * kNsPerMs);
  EXPECT_TRUE(two_late.meets({{0, 1, 1}}, 10 * kNsPerMs));
  times[30] = times[29];
  Estimator three_late(spec.pipeline, hardware, times, 1);
  EXPECT_EQ(three_late.p99_ns({{0, 1, 1}}), 20 * kNsPerMs);
  EXPECT_FALSE(three_late.meets({{0, 1, 1}}, 20 * kNsPerMs - 1));
  EXPECT_TRUE(three_late.meets({{0, 1, 1}}, 20 * kNsPerMs));
}

/// The pipeline m0 -> each of {m1: 0.3}. By hand: a query that ends early leaves after m0.
TEST(Estimator, EndsAQueryWhereItTakesNoBranch) {
  Pipeline pipeline = testing::chain(2);
  ASSERT_EQ(choose_each(pipeline, "m0", {"m1"}, {0.3}), "");
  std::vector<TimeNs> times;
  for (int i = 0; i < 1000; ++i) times.push_back(i * kNsPerS);
  const std::vector<Profile> profiles = {testing::linear_profile("m0", 10, 0, 1),
                                         testing::linear_profile("m1", 5, 0, 1)};
  const Configuration configuration = {{0, 1, 1}, {0, 1, 1}};
  const RunSpec spec = cell_of(pipeline, profiles, configuration, times, 9);
  const ServingContext context = make_context(spec);
  const Hardware hardware(context);
  Estimator estimator(spec.pipeline, hardware, times, 9);
  const std::vector<TimeNs> found = estimated(spec, configuration, times);
  const auto visited = std::count(found.begin(), found.end(), 15 * kNsPerMs);
  EXPECT_EQ(visited + std::count(found.begin(), found.end(), 10 * kNsPerMs), 1000);
  EXPECT_NEAR(estimator.scale_factor(1), 0.3, 0.06);
  EXPECT_DOUBLE_EQ(estimator.scale_factor(1), static_cast<double>(visited) / 1000);
}

}  // namespace
}  // namespace harness
