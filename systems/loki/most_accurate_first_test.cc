// Algorithm 1 on cases computed by hand.
#include "systems/loki/most_accurate_first.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "systems/loki/routing_entry.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/test_routing_cases.h"

namespace harness {
namespace {

/// Detectors that find 2 and 1 cars an image; two classifiers.
Pipeline traffic() {
  return linked({{"detect", {"cars"}, {task_variant("x", 1, {2}), task_variant("n", 0.5, {1})}},
                 {"cars", {}, {task_variant("b7", 1, {}), task_variant("b0", 0.8, {})}}});
}

/// Detectors of 100 and 300 rps, classifiers of 150 (twice) and 400.
std::vector<RoutedWorker> five_workers() {
  return {{10, 3, 400, ms_to_ns(4)},
          {11, 0, 100, ms_to_ns(40)},
          {12, 2, 150, ms_to_ns(20)},
          {13, 1, 300, ms_to_ns(10)},
          {14, 2, 150, ms_to_ns(20)}};
}

using Shares = std::vector<std::pair<std::uint32_t, double>>;

void expect_shares(std::span<const RoutingEntry> table, const Shares& expected, const char* what) {
  ASSERT_EQ(table.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(table[i].worker, expected[i].first) << what;
    EXPECT_NEAR(table[i].probability, expected[i].second, 1e-12) << what;
  }
}

// 160 rps: 100 to x, which finds 200 cars; 60 to n, which finds 60. The first b7 takes 150 of x's cars, the
// second the other 50, then 60 of n's; 40 are left there, and all of b0.
TEST(MostAccurateFirst, FillsWorkersInOrderOfAccuracy) {
  const RoutingTables tables = tables_of({traffic(), five_workers(), 160});
  expect_shares(tables.frontend(), {{1, 100.0 / 160}, {3, 60.0 / 160}}, "frontend");
  expect_shares(tables.from(1, 0), {{2, 0.75}, {4, 0.25}}, "x");
  expect_shares(tables.from(3, 0), {{4, 1}}, "n");
  expect_shares(tables.into(1), {{2, 150.0 / 260}, {4, 110.0 / 260}}, "cars");
  const std::vector<double> incoming = {0, 100, 150, 60, 110};
  for (std::size_t w = 0; w < incoming.size(); ++w) EXPECT_NEAR(tables.incoming_rps(w), incoming[w], 1e-9);
}

TEST(MostAccurateFirst, ListsWhatIsLeftTheMostAccurateFirst) {
  const RoutingTables tables = tables_of({traffic(), five_workers(), 160});
  ASSERT_EQ(tables.backups(0).size(), 1U);
  EXPECT_EQ(tables.backups(0)[0].worker, 3U);
  EXPECT_NEAR(tables.backups(0)[0].leftover_rps, 240, 1e-9);
  ASSERT_EQ(tables.backups(1).size(), 2U);
  EXPECT_EQ(tables.backups(1)[0].worker, 4U);
  EXPECT_NEAR(tables.backups(1)[0].leftover_rps, 40, 1e-9);
  EXPECT_EQ(tables.backups(1)[0].accuracy, 1);
  EXPECT_EQ(tables.backups(1)[0].exec_ns, ms_to_ns(20));
  EXPECT_EQ(tables.backups(1)[1].worker, 0U);
  EXPECT_NEAR(tables.backups(1)[1].leftover_rps, 400, 1e-9);
  EXPECT_EQ(tables.backups(1)[1].accuracy, 0.8);
}

// The 260 cars fill 300 rps of b7 together: each takes half of every flow.
TEST(MostAccurateFirst, SpreadsOverEqualsWhereTold) {
  const RoutingTables tables = tables_of({traffic(), five_workers(), 160}, Overflow::kEqual, Ties::kSpread);
  expect_shares(tables.from(1, 0), {{2, 0.5}, {4, 0.5}}, "x");
  expect_shares(tables.from(3, 0), {{2, 0.5}, {4, 0.5}}, "n");
  ASSERT_EQ(tables.backups(1).size(), 3U);
  EXPECT_NEAR(tables.backups(1)[0].leftover_rps, 20, 1e-9);
  EXPECT_NEAR(tables.backups(1)[1].leftover_rps, 20, 1e-9);
}

// One task of workers with 30 and 90 rps, and a demand of 160: 40 more than they can take.
TEST(MostAccurateFirst, SendsWhatIsBeyondCapacityAsTold) {
  const Pipeline pipeline = linked({{"only", {}, {task_variant("a", 1, {}), task_variant("b", 0.5, {})}}});
  const std::vector<RoutedWorker> workers = {{0, 0, 30, 1}, {1, 1, 90, 1}};
  const auto frontend = [&](Overflow overflow) { return tables_of({pipeline, workers, 160}, overflow); };
  expect_shares(frontend(Overflow::kEqual).frontend(), {{0, 50.0 / 160}, {1, 110.0 / 160}}, "equal");
  expect_shares(frontend(Overflow::kCapacity).frontend(), {{0, 40.0 / 160}, {1, 120.0 / 160}}, "capacity");
  expect_shares(frontend(Overflow::kLast).frontend(), {{0, 30.0 / 160}, {1, 130.0 / 160}}, "last");
  const RoutingTables dropping = frontend(Overflow::kDrop);
  expect_shares(dropping.frontend(), {{0, 30.0 / 160}, {1, 90.0 / 160}}, "drop");
  EXPECT_NEAR(dropping.frontend().back().up_to, 120.0 / 160, 1e-12);
  EXPECT_TRUE(dropping.backups(0).empty());
}

// The classifiers take 50 rps and the detectors send them 60 and 30: the second finds no room.
TEST(MostAccurateFirst, FlowsThatComeLaterOverflow) {
  const Pipeline pipeline =
      linked({{"detect", {"cars"}, {task_variant("x", 1, {2}), task_variant("n", 0.5, {1})}},
              {"cars", {}, {task_variant("b7", 1, {}), task_variant("b0", 0.8, {})}}});
  const std::vector<RoutedWorker> workers = {{0, 0, 30, 1}, {1, 1, 60, 1}, {2, 2, 20, 1}, {3, 3, 30, 1}};
  const RoutingTables equal = tables_of({pipeline, workers, 60});
  expect_shares(equal.from(0, 0), {{2, 25.0 / 60}, {3, 35.0 / 60}}, "x: 20 + 5, 30 + 5");
  expect_shares(equal.from(1, 0), {{2, 0.5}, {3, 0.5}}, "n");
  const RoutingTables dropping = tables_of({pipeline, workers, 60}, Overflow::kDrop);
  expect_shares(dropping.from(0, 0), {{2, 20.0 / 60}, {3, 30.0 / 60}}, "x");
  EXPECT_TRUE(dropping.from(1, 0).empty());
  expect_shares(dropping.into(1), {{2, 20.0 / 90}, {3, 30.0 / 90}}, "cars");
}

// A worker without demand may get rerouted visits: they go to workers that have room.
TEST(MostAccurateFirst, WorkersWithoutDemandSendToWhatIsLeft) {
  expect_shares(tables_of({traffic(), five_workers(), 90}).from(3, 0), {{4, 1}},
                "n; the 180 cars of x leave 120 of b7");
  const RoutingTables idle = tables_of({traffic(), five_workers(), 0});
  expect_shares(idle.frontend(), {{1, 1}}, "frontend");
  expect_shares(idle.from(1, 0), {{2, 1}}, "x");
  expect_shares(idle.into(1), {{2, 1}}, "cars");
  EXPECT_EQ(idle.backups(0).size() + idle.backups(1).size(), 5U);
}

TEST(MostAccurateFirst, WithoutWorkersTablesAreEmpty) {
  const RoutingTables tables = tables_of({traffic(), {{0, 0, 100, 1}}, 10});
  EXPECT_EQ(tables.frontend().size(), 1U);
  EXPECT_TRUE(tables.from(0, 0).empty());
  EXPECT_TRUE(tables.into(1).empty());
  EXPECT_TRUE(tables.backups(1).empty());
  RandomStream random(1, "empty");
  EXPECT_EQ(draw(tables.into(1), random.uniform()), nullptr);
}

// Cars and faces of the same detector are routed apart.
TEST(MostAccurateFirst, EachChildTaskHasATableOfItsOwn) {
  const Pipeline pipeline = linked({{"detect", {"cars", "faces"}, {task_variant("x", 1, {3, 0.5})}},
                                    {"cars", {}, {task_variant("b7", 1, {})}},
                                    {"faces", {}, {task_variant("vgg", 1, {})}}});
  const std::vector<RoutedWorker> workers = {{0, 0, 100, 1}, {1, 1, 200, 1}, {2, 1, 200, 1}, {3, 2, 80, 1}};
  const RoutingTables tables = tables_of({pipeline, workers, 100});
  expect_shares(tables.from(0, 0), {{1, 2.0 / 3}, {2, 1.0 / 3}}, "cars");
  expect_shares(tables.from(0, 1), {{3, 1}}, "faces");
  EXPECT_NEAR(tables.incoming_rps(3), 50, 1e-9);
}

// A pipeline without tasks is a tree of single modules.
TEST(MostAccurateFirst, TakesAChainOfModules) {
  Pipeline chain;
  chain.modules.resize(2);
  chain.modules[0].name = "a";
  chain.modules[1].name = "b";
  ASSERT_EQ(link_modules(chain, {{}, {"a"}}, {{"b"}, {}}), "");
  RoutingTables tables;
  MostAccurateFirst router(chain, Overflow::kEqual, Ties::kFill);
  router.build(std::vector<RoutedWorker>{{0, 0, 10, 1}, {1, 1, 4, 1}, {2, 1, 4, 1}}, {{1}, {}}, 6, tables);
  expect_shares(tables.from(0, 0), {{1, 4.0 / 6}, {2, 2.0 / 6}}, "a");
}

// Pearson's statistic of 40,000 draws over three workers is above 13.82 with probability 0.001.
TEST(Draw, FollowsTheProbabilities) {
  const Pipeline pipeline = linked({{"only", {}, {task_variant("a", 1, {})}}});
  const std::vector<double> capacities = {50, 30, 20};
  const RoutingTables tables = tables_of({pipeline, {{0, 0, 50, 1}, {1, 0, 30, 1}, {2, 0, 20, 1}}, 100});
  int above = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "draw");
    std::vector<int> drawn(3);
    for (int i = 0; i < 40000; ++i) {
      const RoutingEntry* route = draw(tables.frontend(), random.uniform());
      ASSERT_NE(route, nullptr);
      ++drawn[route->worker];
    }
    double statistic = 0;
    for (std::size_t w = 0; w < 3; ++w) {
      const double expected = 400 * capacities[w];
      statistic += (drawn[w] - expected) * (drawn[w] - expected) / expected;
    }
    above += statistic > 13.82;
  }
  EXPECT_LE(above, 1);
}

TEST(Draw, DropsTheShareThatNoWorkerTakes) {
  const Pipeline pipeline = linked({{"only", {}, {task_variant("a", 1, {})}}});
  const RoutingTables tables = tables_of({pipeline, {{0, 0, 30, 1}}, 100}, Overflow::kDrop);
  RandomStream random(1, "drop");
  int dropped = 0;
  for (int i = 0; i < 40000; ++i) dropped += draw(tables.frontend(), random.uniform()) == nullptr;
  EXPECT_NEAR(dropped, 28000, 4 * 92) << "standard deviation: sqrt(40000 x 0.7 x 0.3)";
}

}  // namespace
}  // namespace harness
