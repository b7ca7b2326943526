#include "harness/serving/sizing_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

/// Calls `visit` with every vector of `count` integers in 1..most.
template <class Visit>
void for_all(std::size_t count, int most, Visit visit) {
  std::vector<int> values(count, 1);
  for (;;) {
    visit(values);
    std::size_t k = 0;
    while (k < count && values[k] == most) values[k++] = 1;
    if (k == count) return;
    ++values[k];
  }
}

double gpu_time(const TestWorld& world, const std::vector<int>& batches) {
  double sum = 0;
  for (std::size_t k = 0; k < batches.size(); ++k) {
    sum += static_cast<double>(world.context.profiles[k]->latency(batches[k])) / batches[k];
  }
  return sum;
}

/// Returns the length of the longest path by following every path.
double longest(const TestWorld& world, const std::vector<int>& batches) {
  double most = 0;
  for (const std::vector<ModuleId>& path : paths_after(world.pipeline(), 0)) {
    auto sum = static_cast<double>(world.context.profiles[0]->latency(batches[0]));
    for (const ModuleId k : path) sum += static_cast<double>(world.context.profiles[k]->latency(batches[k]));
    most = std::max(most, sum);
  }
  return most;
}

double least_gpu_time(const TestWorld& world, const PlannerParams& params, int most) {
  double best = std::numeric_limits<double>::infinity();
  for_all(world.context.profiles.size(), most, [&](const std::vector<int>& batches) {
    if (params.sizing_factor * longest(world, batches) > static_cast<double>(world.context.slo_ns)) return;
    best = std::min(best, gpu_time(world, batches));
  });
  return best;
}

std::string error_of(const TestWorld& world, const PlannerParams& params,
                     const std::vector<ModuleOverride>& overrides) {
  return refusal_of([&] { make_sizing_planner(world.context, params, overrides); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SizeBatches, SingleModuleTakesTheLargestBatchThatFitsTwice) {
  // 2 x (10 + 2 b) <= 100: b = 20.
  const TestWorld world({linear_profile(10, 2, 64)}, 100 * kMs, 4);
  EXPECT_EQ(size_batches(world.context, {}, {}), std::vector<int>{20});
}

TEST(SizeBatches, TheBoundIsInclusive) {
  const TestWorld exact({linear_profile(10, 2, 64)}, 100 * kMs, 4);
  const TestWorld below({linear_profile(10, 2, 64)}, 100 * kMs - 1, 4);
  EXPECT_EQ(size_batches(exact.context, {}, {})[0], 20);
  EXPECT_EQ(size_batches(below.context, {}, {})[0], 19);
}

TEST(SizeBatches, KeepsToMaxBatchTheProfileAndTheFactor) {
  const TestWorld world({linear_profile(10, 2, 12)}, 100 * kMs, 4);
  EXPECT_EQ(size_batches(world.context, {}, {})[0], 12);
  PlannerParams params;
  params.max_batch = 8;
  EXPECT_EQ(size_batches(world.context, params, {})[0], 8);
  params.max_batch = 64;
  params.sizing_factor = 5;  // 5 x (10 + 2 b) <= 100
  EXPECT_EQ(size_batches(world.context, params, {})[0], 5);
}

TEST(SizeBatches, DoesNotGrowWithoutSavingAndSkipsOverPlateaus) {
  // b = 2 costs more per request than b = 1; b = 4 less again.
  const TestWorld world({profile_of_ms({10, 21, 30, 32, 50})}, 1000 * kMs, 1);
  EXPECT_EQ(size_batches(world.context, {}, {})[0], 4);
  const TestWorld flat({profile_of_ms({10, 20, 30, 40})}, 1000 * kMs, 1);
  EXPECT_EQ(size_batches(flat.context, {}, {})[0], 1) << "no batch saves anything";
}

TEST(SizeBatches, KeepsOverridesAndSizesTheRestAroundThem) {
  const TestWorld world({linear_profile(10, 2, 64), linear_profile(10, 2, 64)}, 160 * kMs, 4);
  // Module 1 fixed at 15: 40 ms; 10 + 2 b <= 80 - 40: b = 15.
  EXPECT_EQ(size_batches(world.context, {}, {{0, 0}, {15, 0}}), (std::vector<int>{15, 15}));
  // All fixed: taken as they are, even if they break the SLO.
  EXPECT_EQ(size_batches(world.context, {}, {{60, 0}, {60, 0}}), (std::vector<int>{60, 60}));
}

Profile random_profile(RandomStream& random, int max_batch) {
  const double fixed_ms = 2 + 20 * random.uniform();
  return linear_profile(fixed_ms, 0.5 + 5 * random.uniform(), max_batch);
}

TEST(SizeBatches, IsNearTheBestOfAllCombinationsOnChains) {
  constexpr int kRounds = 300;
  RandomStream random(1, "chains");
  double worst = 1;
  double mean = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Profile> profiles;
    const int modules = 2 + static_cast<int>(random.below(3));
    for (int k = 0; k < modules; ++k) {
      profiles.push_back(random_profile(random, 10));
    }
    double least_ms = 0;
    for (const Profile& profile : profiles) least_ms += ns_to_ms(profile.latency(1));
    const TestWorld world(profiles, ms_to_ns(2 * least_ms * (1 + 2 * random.uniform())) + 1, 8);
    const std::vector<int> batches = size_batches(world.context, {}, {});
    ASSERT_LE(2 * longest(world, batches), static_cast<double>(world.context.slo_ns));
    const double excess = gpu_time(world, batches) / least_gpu_time(world, {}, 10);
    worst = std::max(worst, excess);
    mean += excess / kRounds;
  }
  // The greedy rule is not optimal: it may end with a rest of the SLO that no single step fits.
  EXPECT_LE(worst, 1.12);
  EXPECT_LE(mean, 1.01);
  EXPECT_GE(mean, 1.0);
}

TEST(SizeBatches, OnADagOnlyTheLongestPathCounts) {
  // 0 -> {1, 2} -> 3; module 2 is light and off the longest path: it grows for free.
  const std::vector<Profile> profiles = {linear_profile(10, 2, 16), linear_profile(40, 4, 16),
                                         linear_profile(5, 1, 16), linear_profile(10, 2, 16)};
  const TestWorld::Edges edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const TestWorld world(profiles, 200 * kMs, 8, edges);
  const std::vector<int> batches = size_batches(world.context, {}, {});
  EXPECT_LE(2 * longest(world, batches), 200e6);
  EXPECT_EQ(batches[2], 16);
  EXPECT_LE(gpu_time(world, batches), 1.10 * least_gpu_time(world, {}, 16));
  // As a chain the same modules get smaller batches, for the path is longer.
  const TestWorld chain(profiles, 200 * kMs, 8);
  EXPECT_LT(size_batches(chain.context, {}, {})[2], 16);
}

TEST(SizeBatches, IsNearTheBestOnRandomDags) {
  RandomStream random(2, "dags");
  double worst = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<Profile> profiles;
    for (int k = 0; k < 4; ++k) {
      profiles.push_back(random_profile(random, 8));
    }
    const TestWorld world(profiles, ms_to_ns(200 + 200 * random.uniform()), 8,
                          {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    const std::vector<int> batches = size_batches(world.context, {}, {});
    ASSERT_LE(2 * longest(world, batches), static_cast<double>(world.context.slo_ns));
    worst = std::max(worst, gpu_time(world, batches) / least_gpu_time(world, {}, 8));
  }
  EXPECT_LE(worst, 1.10);
}

using Workers = std::vector<int>;

Workers workers_of(const Plan& plan) {
  Workers workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  return workers;
}

std::vector<TimeNs> budgets_ms(const Plan& plan) {
  std::vector<TimeNs> budgets;
  for (const ModulePlan& module : plan.modules) budgets.push_back(module.budget_ns / kMs);
  return budgets;
}

TEST(SizingPlanner, BalancedGivesTheBottleneckTheMostOfAllAllocations) {
  RandomStream random(3, "balanced");
  for (int round = 0; round < 60; ++round) {
    std::vector<Profile> profiles;
    for (int k = 0; k < 3; ++k) {
      profiles.push_back(random_profile(random, 8));
    }
    const int cluster = 3 + static_cast<int>(random.below(12));
    const TestWorld world(profiles, 400 * kMs, cluster);
    const auto planner = make_sizing_planner(world.context, {}, {});
    const Plan plan = planner->plan(0, {}, {});
    int used = 0;
    for (const ModulePlan& module : plan.modules) used += module.workers;
    ASSERT_EQ(used, cluster) << "balanced uses every worker";
    double best = 0;
    for_all(3, cluster, [&](const std::vector<int>& workers) {
      if (workers[0] + workers[1] + workers[2] != cluster) return;
      Plan other = plan;
      for (std::size_t k = 0; k < 3; ++k) other.modules[k].workers = workers[k];
      best = std::max(best, capacity_rps(world.context, other));
    });
    ASSERT_DOUBLE_EQ(capacity_rps(world.context, plan), best) << "round " << round;
  }
}

TEST(SizingPlanner, BalancedByHand) {
  // Per worker 100, 50 and 25 requests/s at batch 1: 7 workers as 1, 2, 4 give 100 to each.
  const TestWorld world({profile_of_ms({10}), profile_of_ms({20}), profile_of_ms({40})}, 140 * kMs, 7);
  const Plan plan = make_sizing_planner(world.context, {}, {})->plan(0, {}, {});
  EXPECT_EQ(workers_of(plan), (Workers{1, 2, 4}));
  EXPECT_DOUBLE_EQ(capacity_rps(world.context, plan), 100);
  EXPECT_EQ(plan.modules[1].max_batch, 1);
  EXPECT_EQ(plan.modules[1].exec_ns, 20 * kMs);
  // Budgets: the SLO in proportion to the execution times (Clipper++).
  EXPECT_EQ(budgets_ms(plan), (std::vector<TimeNs>{20, 40, 80}));
}

TEST(SizingPlanner, GivesTheCoresThatAreFixed) {
  Profile profile = profile_of_ms({10});
  profile.cpu_ns = kMs;
  profile.cores = 2;
  const TestWorld world({profile, profile}, 100 * kMs, 2);
  const Plan plan = make_sizing_planner(world.context, {}, {{0, 0, 4}, {}})->plan(0, {}, {});
  EXPECT_EQ(plan.modules[0].cores, 4);
  EXPECT_EQ(plan.modules[1].cores, 0);
  EXPECT_EQ(plan.modules[0].exec_ns, 9'750'000);  // 10 ms with 2 cores, 1 ms of cores' work: 10 - 1/2 + 1/4
  EXPECT_EQ(plan.modules[1].exec_ns, 10 * kMs);
}

TEST(SizingPlanner, BudgetsFollowTheLongestPathOfADag) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({20}), profile_of_ms({5}), profile_of_ms({10})},
                        400 * kMs, 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const Plan plan = make_sizing_planner(world.context, {}, {})->plan(0, {}, {});
  EXPECT_EQ(budgets_ms(plan), (std::vector<TimeNs>{100, 200, 50, 100}));
}

TEST(SizingPlanner, BalancedLeavesFixedWorkersAlone) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({10}), profile_of_ms({10})}, 100 * kMs, 9);
  const Plan plan = make_sizing_planner(world.context, {}, {{0, 0}, {0, 2}, {0, 0}})->plan(0, {}, {});
  EXPECT_EQ(workers_of(plan), (Workers{4, 2, 3}));
}

PlannerParams by_rate(double headroom = 1) {
  PlannerParams params;
  params.workers = WorkerRule::kRate;
  params.headroom = headroom;
  return params;
}

Workers workers_for(Planner& planner, TimeNs now, double rps) {
  return workers_of(planner.plan(now, {rps, {}}, {}));
}

TEST(SizingPlanner, RateNeedsAreRoundedUp) {
  // 100 and 50 requests/s per worker.
  const TestWorld world({profile_of_ms({10}), profile_of_ms({20})}, 100 * kMs, 100);
  const auto fresh = [&](double rps, double headroom = 1) {
    return workers_for(*make_sizing_planner(world.context, by_rate(headroom), {}), 0, rps);
  };
  EXPECT_EQ(fresh(200), (Workers{2, 4})) << "an exact multiple needs no more";
  EXPECT_EQ(fresh(201), (Workers{3, 5}));
  EXPECT_EQ(fresh(0), (Workers{1, 1})) << "at least one each";
  EXPECT_EQ(fresh(200, 1.5), (Workers{3, 6}));
}

TEST(SizingPlanner, RateIsCutDownToTheCluster) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({20})}, 100 * kMs, 9);
  const auto planner = make_sizing_planner(world.context, by_rate(), {});
  // 10 and 20 would be needed: 3 and 6 serve both modules equally well.
  EXPECT_EQ(workers_for(*planner, 0, 1000), (Workers{3, 6}));
}

TEST(SizingPlanner, RateTakesTheLargerOfOfferedAndSeen) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({10})}, 100 * kMs, 50);
  const auto planner = make_sizing_planner(world.context, by_rate(), {});
  EXPECT_EQ(workers_of(planner->plan(0, {300, {500, 100}}, {})), (Workers{5, 3}))
      << "what was dropped upstream is still to be provided for";
}

TEST(SizingPlanner, ScalesUpAtOnceAndDownOnlyAfterTheHysteresis) {
  const TestWorld world({profile_of_ms({10})}, 100 * kMs, 50);
  PlannerParams params = by_rate();
  params.autoscale = true;
  params.scale_down_s = 30;
  const auto planner = make_sizing_planner(world.context, params, {});
  EXPECT_EQ(workers_for(*planner, 0, 200), Workers{2});
  EXPECT_EQ(workers_for(*planner, s_to_ns(10), 800), Workers{8}) << "up at once";
  EXPECT_EQ(workers_for(*planner, s_to_ns(20), 300), Workers{8});
  EXPECT_EQ(workers_for(*planner, s_to_ns(30), 500), Workers{8});
  EXPECT_EQ(workers_for(*planner, s_to_ns(39), 100), Workers{8});
  EXPECT_EQ(workers_for(*planner, s_to_ns(40), 100), Workers{5}) << "the need was at most 5 for 30 s";
  EXPECT_EQ(workers_for(*planner, s_to_ns(60), 100), Workers{1});
  params.scale_down_s = 0;
  const auto eager = make_sizing_planner(world.context, params, {});
  EXPECT_EQ(workers_for(*eager, 0, 800), Workers{8});
  EXPECT_EQ(workers_for(*eager, s_to_ns(10), 100), Workers{1});
}

TEST(SizingPlanner, RefusesAnSloThatNotEvenSingleRequestsMeet) {
  const TestWorld fits({linear_profile(0, 50, 4), linear_profile(0, 50, 4)}, 200 * kMs, 4);
  EXPECT_EQ(error_of(fits, {}, {}), "no error");
  const TestWorld breaks({linear_profile(0, 50, 4), linear_profile(0, 50, 4)}, 200 * kMs - 1, 4);
  const std::string error = error_of(breaks, {}, {});
  EXPECT_TRUE(contains(error, "planner: found sizing_factor 2 x 100 ms on the longest path")) << error;
  EXPECT_TRUE(contains(error, "allowed: at most the SLO")) << error;
}

TEST(SizingPlanner, RefusesTooFewWorkers) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({10}), profile_of_ms({10})}, 100 * kMs, 2);
  const std::string error = error_of(world, {}, {});
  EXPECT_TRUE(contains(error, "found 2 in the cluster; allowed: 3 or more")) << error;
  const TestWorld fixed({profile_of_ms({10}), profile_of_ms({10})}, 100 * kMs, 8);
  EXPECT_TRUE(contains(error_of(fixed, {}, {{0, 8}, {0, 0}}), "allowed: 9 or more"));
  EXPECT_EQ(error_of(fixed, {}, {{0, 7}, {0, 0}}), "no error");
}

TEST(SizingPlanner, RefusesOverridesBeyondTheProfileAndAutoscaleWithoutRate) {
  const TestWorld world({profile_of_ms({10, 11})}, 100 * kMs, 2);
  EXPECT_TRUE(contains(error_of(world, {}, {{3, 0}}), "batch of module 'm0': found 3; allowed: 1 to 2"));
  EXPECT_TRUE(contains(error_of(world, {}, {{0, -1}}), "workers of module 'm0': found -1"));
  EXPECT_TRUE(contains(error_of(world, {}, {{0, 0, 4}}),
                       "cores of module 'm0': found 4; allowed: 0, as the profile"));
  PlannerParams params;
  params.autoscale = true;
  EXPECT_TRUE(contains(error_of(world, params, {}), "planner.autoscale"));
}

}  // namespace
}  // namespace harness
