#include "systems/nexus/split_latency.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "harness/core/random_stream.h"
#include "harness/serving/sizing_planner.h"
#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"
#include "systems/nexus/nexus.h"

namespace harness {
namespace {

double cost_of(const std::vector<SplitModule>& modules, const std::vector<TimeNs>& budgets) {
  double cost = 0;
  for (std::size_t k = 0; k < modules.size(); ++k) cost += split_cost(modules[k], budgets[k]);
  return cost;
}

/// The longest path of budgets, by following each path.
TimeNs longest(const Pipeline& pipeline, const std::vector<TimeNs>& budgets) {
  TimeNs most = 0;
  for (const std::vector<ModuleId>& path : paths_after(pipeline, 0)) {
    TimeNs sum = budgets[0];
    for (const ModuleId k : path) sum += budgets[k];
    most = std::max(most, sum);
  }
  return most;
}

double least_cost(const TestWorld& world, const std::vector<SplitModule>& modules, TimeNs step) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<TimeNs> budgets(modules.size(), 0);
  const std::function<void(std::size_t)> choose = [&](std::size_t k) {
    if (k == modules.size()) {
      if (longest(world.pipeline(), budgets) <= world.context.slo_ns)
        best = std::min(best, cost_of(modules, budgets));
      return;
    }
    for (budgets[k] = 0; budgets[k] <= world.context.slo_ns; budgets[k] += step) choose(k + 1);
  };
  choose(0);
  return best;
}

TEST(SplitCost, IsRateOverTheBestThroughputWithinHalfTheBudget) {
  const Profile profile = profile_of_ms({10, 12, 20, 40});
  const SplitModule module{&profile, 60, 4, 0};
  EXPECT_DOUBLE_EQ(split_cost(module, 20 * kMs), 60 / 100.0);
  EXPECT_DOUBLE_EQ(split_cost(module, 24 * kMs), 60 * 0.012 / 2);
  EXPECT_DOUBLE_EQ(split_cost(module, 24 * kMs - 1), 60 / 100.0);
  EXPECT_DOUBLE_EQ(split_cost(module, 100 * kMs), 60 * 0.012 / 2) << "larger batches have less throughput";
  EXPECT_EQ(split_cost(module, 20 * kMs - 1), std::numeric_limits<double>::infinity());
  const SplitModule capped{&profile, 60, 1, 0};
  EXPECT_DOUBLE_EQ(split_cost(capped, 100 * kMs), 60 / 100.0);
  const SplitModule floored{&profile, 60, 4, 30 * kMs};
  EXPECT_EQ(split_cost(floored, 30 * kMs - 1), std::numeric_limits<double>::infinity());
}

TEST(SplitLatency, TwoModulesByHand) {
  // Module 0 gains nothing from larger batches (needs 20 ms), module 1 gains to its last batch: 2 x 40 ms.
  const TestWorld world({profile_of_ms({10, 20, 30}), profile_of_ms({25, 30, 40})}, 100 * kMs, 2);
  const std::vector<SplitModule> modules = {{world.context.profiles[0], 1, 3, 0},
                                            {world.context.profiles[1], 1, 3, 0}};
  EXPECT_EQ(split_latency(world.pipeline(), modules, 100 * kMs, kMs),
            (std::vector<TimeNs>{20 * kMs, 80 * kMs}));
  EXPECT_TRUE(split_latency(world.pipeline(), modules, 69 * kMs, kMs).empty()) << "20 + 50 ms are needed";
}

TEST(SplitLatency, IsTheBestOfAllSplitsOnChainsAndTrees) {
  RandomStream random(1, "splits");
  const std::vector<TestWorld::Edges> shapes = {{{0, 1}, {1, 2}}, {{0, 1}, {0, 2}}, {{0, 1}, {1, 2}, {1, 3}}};
  for (int round = 0; round < 60; ++round) {
    const TestWorld::Edges& edges = shapes[static_cast<std::size_t>(round) % shapes.size()];
    std::vector<Profile> profiles;
    for (std::size_t k = 0; k <= edges.size(); ++k) {
      const double fixed_ms = 1 + 8 * random.uniform();
      profiles.push_back(linear_profile(fixed_ms, 0.5 + 2 * random.uniform(), 8));
    }
    const TestWorld world(profiles, 120 * kMs, 4, edges);
    std::vector<SplitModule> modules;
    for (const Profile* profile : world.context.profiles)
      modules.push_back({profile, 1 + random.uniform(), 8, 0});
    constexpr TimeNs kStep = 6 * kMs;
    const std::vector<TimeNs> budgets = split_latency(world.pipeline(), modules, world.context.slo_ns, kStep);
    ASSERT_EQ(budgets.size(), modules.size());
    ASSERT_LE(longest(world.pipeline(), budgets), world.context.slo_ns);
    for (const TimeNs budget : budgets) ASSERT_EQ(budget % kStep, 0);
    ASSERT_NEAR(cost_of(modules, budgets), least_cost(world, modules, kStep), 1e-12) << "round " << round;
  }
}

TEST(SplitStep, IsTheWantedOneOrMakesAtMost2000Steps) {
  EXPECT_EQ(split_step(400 * kMs, kMs), kMs);
  EXPECT_EQ(split_step(2'000 * kMs, kMs), kMs);
  EXPECT_EQ(split_step(2'000 * kMs + 1, kMs), kMs + 1);
  EXPECT_EQ(split_step(10 * kNsPerS, kMs), 5 * kMs);
  EXPECT_EQ(split_step(10 * kNsPerS, 7 * kMs), 7 * kMs);
  for (const TimeNs slo : {TimeNs{1}, TimeNs{1'999}, 3'600 * kNsPerS + 1}) {
    EXPECT_LE(slo / split_step(slo, 1), 2'000) << slo;
  }
}

/// The shared planner's plan after Nexus has refined it.
Plan refined(const TestWorld& world, const char* budget) {
  const std::unique_ptr<System> nexus = make_nexus();
  set_params(*nexus, {{"budget", std::string(budget)}});
  Plan plan = make_sizing_planner(world.context, {}, {})->plan(0, {}, {});
  nexus->refine(world.context, plan);
  return plan;
}

TEST(NexusRefine, RewritesBudgetsOnlyAndUsesTheWholeSlo) {
  const TestWorld world({linear_profile(10, 1, 16), linear_profile(2, 6, 16), linear_profile(5, 2, 16)},
                        300 * kMs, 12);
  const Plan before = refined(world, "end_to_end");
  const Plan after = refined(world, "split");
  const Plan per_module = refined(world, "per_module");
  TimeNs sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(after.modules[k].max_batch, before.modules[k].max_batch);
    EXPECT_EQ(after.modules[k].workers, before.modules[k].workers);
    EXPECT_GE(after.modules[k].budget_ns, after.modules[k].exec_ns) << "else every visit is dropped";
    EXPECT_EQ(per_module.modules[k].budget_ns, after.modules[k].budget_ns);
    sum += after.modules[k].budget_ns;
  }
  EXPECT_LE(sum, 300 * kMs);
  EXPECT_GE(sum, 300 * kMs - 3);
}

// At 10 s a step is 5 ms at least: 2 x 10.5 ms and 2 x 20 ms need 25 and 40 ms, which share the 10 s.
TEST(NexusRefine, LimitsTheSteps) {
  const TestWorld world({profile_of_ms({10.5}), profile_of_ms({20})}, 10 * kNsPerS, 2);
  const Plan after = refined(world, "split");
  EXPECT_EQ(after.modules[0].budget_ns, 10 * kNsPerS * 25 / 65);
  EXPECT_EQ(after.modules[1].budget_ns, 10 * kNsPerS * 40 / 65);
}

TEST(NexusRefine, LeavesTheProportionalSplitWhereThereIsNoTree) {
  const TestWorld world(
      {linear_profile(5, 1, 8), linear_profile(5, 2, 8), linear_profile(5, 3, 8), linear_profile(5, 1, 8)},
      300 * kMs, 8, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  EXPECT_FALSE(is_tree(world.pipeline()));
  const Plan before = refined(world, "end_to_end");
  const Plan after = refined(world, "split");
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(after.modules[k].budget_ns, before.modules[k].budget_ns);
}

}  // namespace
}  // namespace harness
