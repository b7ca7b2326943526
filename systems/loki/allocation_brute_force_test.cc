#include <gtest/gtest.h>

#include <algorithm>

#include "systems/loki/allocation.h"
#include "systems/loki/augmented_graph.h"
#include "systems/loki/priced_paths.h"
#include "systems/loki/test_allocation_check.h"
#include "systems/loki/test_loki_cases.h"
#include "systems/loki/test_loki_exhaustive.h"

namespace harness {
namespace {

constexpr double kTolerance = 1e-5;

TEST(SmallLp, SolvesProgramsByHand) {
  // Two products: max 3x + 2y, x + y <= 4, x + 3y <= 6, x <= 3: x = 3, y = 1.
  EXPECT_NEAR(small_lp({{1, 1}, {1, 3}, {1, 0}}, {4, 6, 3}, {3, 2}), 11, 1e-9);
  EXPECT_NEAR(small_lp({{1, -1}, {0, 1}}, {0, 2}, {1, 0}), 2, 1e-9);  // degenerate at the start
  EXPECT_EQ(small_lp({{1, 1}}, {1}, {-1, 0}), 0);
}

// 300 trees, of which some demands can be carried with the best variants, some with others, some not at all.
TEST(LokiAllocation, EqualsExhaustiveSearch) {
  int hardware = 0, accuracy_only = 0, neither = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    LokiCase made;
    make_random(made, seed);
    const ExhaustiveOptima best = exhaustive_optima(made.problem);

    const Allocation fewest = scale_hardware(made.problem);
    EXPECT_TRUE(fewest.optimal);
    ASSERT_EQ(fewest.feasible, best.workers >= 0);
    if (fewest.feasible) {
      EXPECT_EQ(fewest.total_workers(), best.workers);
    }
    const Allocation accurate = scale_accuracy(made.problem);
    EXPECT_TRUE(accurate.optimal);
    ASSERT_EQ(accurate.feasible, best.accuracy >= 0);
    if (accurate.feasible) {
      // One worker less may be worth worker_weight of accuracy.
      EXPECT_LE(accurate.accuracy, best.accuracy + kTolerance);
      EXPECT_GE(accurate.accuracy,
                best.accuracy - made.problem.workers * made.problem.worker_weight - kTolerance);
      EXPECT_LE(accurate.demand_rps, made.problem.demand_rps);
      EXPECT_GE(accurate.demand_rps, made.problem.demand_rps * (1 - kTolerance));
    }
    const Allocation most = most_throughput(made.problem);
    EXPECT_NEAR(most.demand_rps, best.demand_rps, kTolerance * best.demand_rps);
    for (const Allocation& plan : {fewest, accurate, most})
      EXPECT_EQ(check_allocation(made.problem, plan), std::vector<std::string>{});
    ++(fewest.feasible ? hardware : accurate.feasible ? accuracy_only : neither);
  }
  EXPECT_GT(hardware, 30);
  EXPECT_GT(accuracy_only, 30);
  EXPECT_GT(neither, 30);
}

// Between the best accuracies for a little more and for a little less.
TEST(LokiAllocation, IsTheMostAccurateOfThoseThatCarryTheMost) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    LokiCase made;
    make_random(made, seed);
    const Allocation most = most_throughput(made.problem);
    if (!most.feasible || most.demand_rps == 0) continue;
    const double carried_rps = most.demand_rps;
    made.problem.demand_rps = carried_rps * (1 + kTolerance);
    const double least = exhaustive_optima(made.problem).accuracy;  // -1: none carries more
    made.problem.demand_rps = carried_rps * (1 - kTolerance);
    const double largest = exhaustive_optima(made.problem).accuracy;
    const double slack = made.problem.workers * made.problem.worker_weight + kTolerance;
    EXPECT_GE(most.accuracy, least - slack);
    made.problem.demand_rps = carried_rps * (1 - 1e-9);
    EXPECT_GE(most.accuracy, exhaustive_optima(made.problem).accuracy - slack);
    EXPECT_LE(most.accuracy, largest + kTolerance);
  }
}

// The relaxation bounds the accuracy of every plan: workers are bought whole there, at the same price.
TEST(PricedPaths, BoundTheAccuracyOfEveryPlan) {
  int bounds = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    LokiCase made;
    make_random(made, seed);
    const AugmentedGraph graph =
        augmented_graph(made.problem, allowed_variants(made.pipeline, Variants::kAll));
    if (graph.prefixes.empty()) continue;
    PricedPaths paths(made.problem, graph);
    paths.find_price();
    const double accuracy = exhaustive_optima(made.problem).accuracy;
    if (accuracy >= 0) {
      EXPECT_LE(accuracy, paths.most_worth() + paths.price() * made.problem.workers + 1e-9);
      ++bounds;
    }
    // Some path loses nothing: it is the best, at every vertex on it.
    const std::vector<double> losses = paths.losses();
    EXPECT_EQ(*std::min_element(losses.begin(), losses.end()), 0);
  }
  EXPECT_GT(bounds, 60);
}

}  // namespace
}  // namespace harness
