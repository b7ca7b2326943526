// Both bounds against the optimum of small cases.

#include <iostream>

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/bounds/test_offline_schedule.h"
#include "harness/engine/bounds/test_small_optimum.h"

namespace harness {
namespace {

struct Bracket {
  std::uint64_t schedule = 0;
  std::uint64_t optimum = 0;
  std::uint64_t fluid = 0;
};

Bracket bracket_of(const testing::SmallCase& small) {
  const RunSpec spec = testing::spec_of("naive", small);
  const RunRecord record = testing::fixed_plan(spec, small.times.size(), small.modules);
  std::vector<TimeNs> times;
  for (const int ms : small.times) times.push_back(ms_to_ns(ms));
  return {testing::checked_schedule(spec, record, times),
          static_cast<std::uint64_t>(testing::Optimum(small).find()), fluid_bound(spec, record)};
}

TEST(OfflineSchedule, BracketsTheOptimumWithTheFluidBound) {
  RandomStream random(17, "offline_schedule_test");
  constexpr int kRounds = 400;
  int equal = 0;
  int fluid_equal = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Bracket bracket = bracket_of(testing::random_case(random, 3));
    ASSERT_LE(bracket.schedule, bracket.optimum) << "round " << round;
    ASSERT_LE(bracket.optimum, bracket.fluid) << "round " << round;
    equal += bracket.schedule == bracket.optimum ? 1 : 0;
    fluid_equal += bracket.fluid == bracket.optimum ? 1 : 0;
  }
  RecordProperty("schedule_is_optimum", equal);
  RecordProperty("fluid_is_optimum", fluid_equal);
  std::cout << "of " << kRounds << " optima the offline schedule reaches " << equal << ", the fluid bound is "
            << fluid_equal << "\n";
}

TEST(OfflineSchedule, IsTheOptimumWithoutBatching) {
  // Requests are alike but for their sending times, and due in the same order: at each module they are served
  // in the order of arrival, and the j-th accepted request ends no later than the j-th of any other schedule.
  RandomStream random(23, "offline_schedule_test");
  for (int round = 0; round < 200; ++round) {
    const Bracket bracket = bracket_of(testing::random_case(random, 1));
    ASSERT_EQ(bracket.schedule, bracket.optimum) << "round " << round;
  }
}

}  // namespace

// The offline schedule where paper and pencil give the answer, and how near it comes to the fluid bound.

namespace {

using testing::checked_schedule;
using testing::fixed_plan;
using testing::linear_profile;

/// Returns a cell whose modules are all the same.
RunSpec uniform_spec(const Pipeline& pipeline, double alpha_ms, double beta_ms, ModuleOverride module,
                     double slo_ms, const std::vector<TimeNs>& times) {
  const std::size_t modules = pipeline.modules.size();
  return testing::make_spec(
      "naive", pipeline, std::vector<Profile>(modules, linear_profile("m", alpha_ms, beta_ms, 8)),
      std::vector<ModuleOverride>(modules, module), ms_to_ns(slo_ms), times, 60 * kNsPerS);
}

TEST(OfflineSchedule, TakesAllThatComeAtExactCapacity) {
  // Batches of 4 take 20 ms: two workers start one every 10 ms. Groups of 4 come every 10 ms and need 20 ms
  // at each module of the longest path.
  std::vector<TimeNs> times;
  for (int i = 0; i < 4000; ++i) times.push_back(10 * kNsPerMs * (i / 4));
  for (const auto& [pipeline, slo_ms] : {std::pair(testing::chain(2), 40.0), {testing::diamond(), 60.0}}) {
    const RunSpec spec = uniform_spec(pipeline, 2, 12, {4, 2}, slo_ms, times);
    const RunRecord record =
        fixed_plan(spec, times.size(), std::vector<ModuleOverride>(pipeline.modules.size(), {4, 2}));
    EXPECT_EQ(checked_schedule(spec, record, times), 4000u);
    EXPECT_EQ(fluid_bound(spec, record), 4000u);
  }
}

TEST(OfflineSchedule, ComesWithinOnePercentOfTheFluidBoundInALongOverload) {
  // 400 requests/s can be served, 800 are sent.
  const std::vector<TimeNs> times = testing::poisson_times(800, 60 * kNsPerS, 7);
  for (const Pipeline& pipeline : {testing::chain(1), testing::chain(5), testing::diamond()}) {
    RunSpec spec = uniform_spec(pipeline, 2, 12, {4, 2}, 400, times);
    spec.world.network_delay_ms = 1;
    const RunRecord record =
        fixed_plan(spec, times.size(), std::vector<ModuleOverride>(pipeline.modules.size(), {4, 2}));
    const std::uint64_t accepted = checked_schedule(spec, record, times);
    const std::uint64_t fluid = fluid_bound(spec, record);
    EXPECT_LE(accepted, fluid);
    EXPECT_GE(static_cast<double>(accepted), 0.99 * static_cast<double>(fluid));
  }
}

TEST(OfflineSchedule, OfNoLoadIsZero) {
  const RunSpec spec = uniform_spec(testing::chain(2), 2, 12, {4, 2}, 40, {});
  EXPECT_EQ(checked_schedule(spec, fixed_plan(spec, 0, {{4, 2}, {4, 2}}), {}), 0u);
}

TEST(OfflineSchedule, TakesOneRequestIffItsShortestTimeFits) {
  // Twice 1 ms of network and 14 ms of execution alone in a batch.
  RunSpec spec = uniform_spec(testing::chain(2), 2, 12, {4, 2}, 30, {ms_to_ns(5)});
  spec.world.network_delay_ms = 1;
  const RunRecord record = fixed_plan(spec, 1, {{4, 2}, {4, 2}});
  EXPECT_EQ(checked_schedule(spec, record, {ms_to_ns(5)}), 1u);
  spec.slo_ns -= 1;
  EXPECT_EQ(checked_schedule(spec, record, {ms_to_ns(5)}), 0u);
}

TEST(OfflineSchedule, IsZeroWhereAModuleHasNoWorkers) {
  const RunSpec spec = uniform_spec(testing::chain(2), 2, 12, {4, 2}, 100, {0, 0});
  EXPECT_EQ(offline_schedule(spec, fixed_plan(spec, 2, {{4, 2}, {4, 0}})), 0u);
}

TEST(OfflineSchedule, DoesNotExistWhereNoScheduleIsSureToBeFeasible) {
  RunSpec spec = uniform_spec(testing::chain(1), 2, 12, {4, 2}, 100, {0, 0});
  RunRecord record = fixed_plan(spec, 2, {{4, 2}});
  EXPECT_TRUE(offline_schedule(spec, record).has_value());
  spec.world.jitter = Jitter::kUniform;
  EXPECT_FALSE(offline_schedule(spec, record).has_value());
  spec.world.jitter = Jitter::kExponential;
  EXPECT_FALSE(offline_schedule(spec, record).has_value());
  spec.world.jitter = Jitter::kOff;
  record.plans.push_back({kNsPerS, 0, 1, 4, ms_to_ns(20)});
  EXPECT_FALSE(offline_schedule(spec, record).has_value()) << "a worker leaves after a second";
}

TEST(OfflineSchedule, IsAFeasibleScheduleOnRandomCells) {
  RandomStream random(5, "offline_schedule_test");
  for (int round = 0; round < 200; ++round) {
    std::vector<Pipeline> shapes = testing::dynamic_pipelines();
    for (const std::size_t modules : {1, 3, 5}) shapes.push_back(testing::chain(modules));
    shapes.push_back(testing::diamond());
    const Pipeline pipeline = shapes[random.below(shapes.size())];
    const double rate_rps = 50 + 1500 * random.uniform();
    const std::vector<TimeNs> times = testing::poisson_times(rate_rps, kNsPerS, random.bits());
    std::vector<Profile> profiles;
    std::vector<ModuleOverride> modules;
    for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
      Profile profile;
      for (int b = 1; b <= 12; ++b) profile.latency_ns.push_back(ms_to_ns(2 + b + 6 * random.uniform()));
      profiles.push_back(profile);
      modules.push_back({1 + static_cast<int>(random.below(12)), 1 + static_cast<int>(random.below(9))});
    }
    RunSpec spec = testing::make_spec("naive", pipeline, profiles, modules,
                                      ms_to_ns(5 + 300 * random.uniform()), times, kNsPerS);
    spec.world.network_delay_ms = random.below(2) == 0 ? 0.0 : 3 * random.uniform();
    const RunRecord record = fixed_plan(spec, times.size(), modules);
    EXPECT_LE(checked_schedule(spec, record, times), fluid_bound(spec, record)) << "round " << round;
  }
}

}  // namespace
}  // namespace harness
