#include "harness/core/routes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace harness {
namespace {

using Names = std::vector<std::string>;

/// Links modules m0, m1, ... with these pres.
Pipeline linked(const std::vector<Names>& pres) {
  Pipeline pipeline;
  for (std::size_t i = 0; i < pres.size(); ++i) {
    Module module;
    module.name = "m" + std::to_string(i);
    pipeline.modules.push_back(module);
  }
  EXPECT_EQ(link_modules(pipeline, pres, std::vector<Names>(pres.size())), "");
  return pipeline;
}

/// Returns m0 -> {m1, m2} -> m3 -> m4, as da.
Pipeline diamond() { return linked({{}, {"m0"}, {"m0"}, {"m1", "m2"}, {"m3"}}); }

Pipeline choosing(Pipeline pipeline, const std::string& module, const std::vector<double>& weights = {}) {
  Names order;
  for (const Module& each : pipeline.modules) {
    if (each.name != module || weights.empty()) continue;
    for (const ModuleId sub : each.subs) order.push_back(pipeline.modules[sub].name);
  }
  EXPECT_EQ(choose_one(pipeline, module, order, weights), "");
  return pipeline;
}

TEST(ChooseOne, RefusesWhatIsNoChoice) {
  Pipeline pipeline = diamond();
  EXPECT_NE(choose_one(pipeline, "m1", {}, {}), "") << "one sub";
  EXPECT_NE(choose_one(pipeline, "m4", {}, {}), "") << "no sub";
  EXPECT_NE(choose_one(pipeline, "m9", {}, {}), "") << "no such module";
  EXPECT_NE(choose_one(pipeline, "m0", {"m1", "m2"}, {1}), "");
  EXPECT_NE(choose_one(pipeline, "m0", {"m1", "m1"}, {1, 1}), "");
  EXPECT_NE(choose_one(pipeline, "m0", {"m1", "m2"}, {1, 0}), "");
  EXPECT_NE(choose_one(pipeline, "m0", {"m1", "m2"}, {1, std::nan("")}), "");
  EXPECT_EQ(pipeline.modules[0].branches, Branches::kAll) << "nothing has changed";
  EXPECT_EQ(choose_one(pipeline, "m0", {"m2", "m1"}, {3, 1}), "");
  EXPECT_EQ(pipeline.modules[0].branch_weights, (std::vector<double>{1, 3})) << "in the order of subs";
  EXPECT_FALSE(pipeline.is_chain());
}

TEST(ChooseOne, RefusesMoreThan4096Routes) {
  // Thirteen forks in a row: m0 -> {m1, m2} -> m3 -> {m4, m5} -> m6 ... have 2^13 routes.
  std::vector<Names> pres = {{}};
  const auto name = [](std::size_t i) { return "m" + std::to_string(i); };
  for (std::size_t fork = 0; fork < 13; ++fork) {
    const std::size_t from = 3 * fork;
    pres.push_back({name(from)});
    pres.push_back({name(from)});
    pres.push_back({name(from + 1), name(from + 2)});
  }
  Pipeline pipeline = linked(pres);
  for (std::size_t fork = 0; fork < 12; ++fork) {
    ASSERT_EQ(choose_one(pipeline, name(3 * fork), {}, {}), "");
  }
  EXPECT_EQ(Routes(pipeline, 1).size(), 4096u);
  EXPECT_EQ(choose_one(pipeline, name(36), {}, {}),
            "the choices of the modules combine to more than 4096 routes");
  for (const double probability : visit_probabilities(pipeline)) {
    EXPECT_TRUE(probability == 1.0 || std::abs(probability - 0.5) < 1e-12) << probability;
  }
}

TEST(ChooseEach, RefusesWhatIsNoProbability) {
  Pipeline pipeline = diamond();
  EXPECT_NE(choose_each(pipeline, "m4", {}, {}), "") << "no sub";
  EXPECT_NE(choose_each(pipeline, "m0", {}, {}), "") << "no probabilities";
  EXPECT_NE(choose_each(pipeline, "m0", {"m1", "m2"}, {1}), "");
  EXPECT_NE(choose_each(pipeline, "m0", {"m1", "m2"}, {0, 1}), "");
  EXPECT_NE(choose_each(pipeline, "m0", {"m1", "m2"}, {0.5, 1.5}), "");
  EXPECT_NE(choose_each(pipeline, "m0", {"m1", "m2"}, {0.5, std::nan("")}), "");
  EXPECT_EQ(pipeline.modules[0].branches, Branches::kAll) << "nothing has changed";
  EXPECT_EQ(choose_each(pipeline, "m0", {"m2", "m1"}, {0.25, 1}), "");
  EXPECT_EQ(pipeline.modules[0].branch_weights, (std::vector<double>{1, 0.25})) << "in the order of subs";
  std::vector<Names> pres(14, Names{"m0"});  // 13 subs: 2^13 ways
  pres[0].clear();
  Names subs;
  for (int i = 1; i <= 13; ++i) subs.push_back("m" + std::to_string(i));
  Pipeline fan = linked(pres);
  EXPECT_NE(choose_each(fan, "m0", subs, std::vector<double>(13, 0.5)), "");
}

// By hand: m0 -> m1 (1/2), m2 (1/4); m1 and m2 -> m3. Neither: 3/8, m1 alone 3/8, m2 alone 1/8, both 1/8.
TEST(Routes, ThoseOfEachAreAllSubsetsOfItsSubs) {
  Pipeline pipeline = diamond();
  ASSERT_EQ(choose_each(pipeline, "m0", {"m1", "m2"}, {0.5, 0.25}), "");
  const Routes routes(pipeline, 7);
  ASSERT_EQ(routes.size(), 4u);
  std::map<std::vector<std::uint16_t>, double> probability;
  for (std::size_t i = 0; i < 4; ++i) probability[routes[i].branches] = routes[i].probability;
  EXPECT_EQ(probability, (std::map<std::vector<std::uint16_t>, double>{{{1, 0, 0, 0, 0}, 0.375},
                                                                       {{1, 1, 0, 1, 1}, 0.375},
                                                                       {{1, 0, 1, 1, 1}, 0.125},
                                                                       {{1, 1, 1, 2, 1}, 0.125}}));
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 0.5, 0.25, 0.625, 0.625}));
  constexpr int kRequests = 100000;
  std::vector<double> seen(4, 0);
  for (RequestId request = 0; request < kRequests; ++request) seen[routes.of(request)] += 1.0 / kRequests;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(seen[i], routes[i].probability, 5 * std::sqrt(0.25 / kRequests)) << i;
}

// m0 -> m1 always, m2 sometimes: no request comes to m3 but by m1, or by m1 and m2.
TEST(Routes, ABranchThatIsAlwaysTakenIsNeverLeftOut) {
  Pipeline pipeline = diamond();
  ASSERT_EQ(choose_each(pipeline, "m0", {"m1", "m2"}, {1, 0.3}), "");
  const Routes routes(pipeline, 7);
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 1, 0.3, 1, 1}));
  const std::vector<double> cost = {10, 50, 5, 1, 1};
  EXPECT_EQ(least_before(pipeline, routes, cost), (std::vector<double>{0, 10, 10, 60, 61}));
  EXPECT_EQ(least_after(pipeline, routes, cost), (std::vector<double>{52, 2, 2, 1, 0}));
}

TEST(Routes, WithoutChoicesThereIsOneWhichVisitsAll) {
  const Routes routes(diamond(), 1);
  EXPECT_FALSE(routes.dynamic());
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes.of(12345), 0u);
  EXPECT_EQ(routes[0].branches, (std::vector<std::uint16_t>{1, 1, 1, 2, 1}));
  EXPECT_EQ(visit_probabilities(diamond()), (std::vector<double>{1, 1, 1, 1, 1}));
}

TEST(Routes, OfTheDiamondByHand) {
  const Routes routes(choosing(diamond(), "m0", {1, 3}), 1);
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_DOUBLE_EQ(routes[0].probability, 0.25);
  EXPECT_EQ(routes[0].branches, (std::vector<std::uint16_t>{1, 1, 0, 1, 1}));
  EXPECT_EQ(routes[1].branches, (std::vector<std::uint16_t>{1, 0, 1, 1, 1}));
  EXPECT_TRUE(routes[0].takes(0, 1) && routes[0].takes(1, 3) && !routes[0].takes(0, 2));
  EXPECT_FALSE(routes[0].takes(2, 3)) << "what is not visited sends nothing on";
}

TEST(Routes, AMergeWithADirectEdgeHasOneBranchOnBothRoutes) {
  // m0 sends to m1 or straight to m2; m1 to m2.
  const Pipeline pipeline = choosing(linked({{}, {"m0"}, {"m0", "m1"}}), "m0");
  const Routes routes(pipeline, 1);
  EXPECT_EQ(routes[0].branches, (std::vector<std::uint16_t>{1, 1, 1}));
  EXPECT_EQ(routes[1].branches, (std::vector<std::uint16_t>{1, 0, 1}));
  const std::vector<double> cost = {10, 20, 5};
  EXPECT_EQ(least_before(pipeline, routes, cost), (std::vector<double>{0, 10, 10}));
  EXPECT_EQ(least_after(pipeline, routes, cost), (std::vector<double>{5, 5, 0}));
  EXPECT_EQ(longest_before(pipeline, routes[0], cost), (std::vector<double>{0, 10, 30}));
}

TEST(Routes, NestedChoicesMultiply) {
  // m0 sends to both m1 and m4; m1 (3:1) to m2 or m3; all meet in m5.
  Pipeline pipeline = linked({{}, {"m0"}, {"m1"}, {"m1"}, {"m0"}, {"m2", "m3", "m4"}});
  pipeline = choosing(pipeline, "m1", {3, 1});
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 1, 0.75, 0.25, 1, 1}));
  const Routes routes(pipeline, 1);
  EXPECT_EQ(routes[0].branches[5], 2) << "m4 and the one taken";
  // A choice behind a choice: m0 to m1 or m2 (1:1), m1 to m3 or m4 (1:3): 1/2, 1/8, 3/8.
  Pipeline tree = linked({{}, {"m0"}, {"m0"}, {"m1"}, {"m1"}});
  tree = choosing(choosing(tree, "m0"), "m1", {1, 3});
  EXPECT_EQ(visit_probabilities(tree), (std::vector<double>{1, 0.5, 0.5, 0.125, 0.375}));
}

TEST(Routes, ProbabilitiesAreOneInAll) {
  Pipeline pipeline = linked({{}, {"m0"}, {"m0"}, {"m0"}, {"m1", "m2"}, {"m1", "m3"}, {"m4", "m5"}});
  pipeline = choosing(choosing(pipeline, "m0", {0.1, 7, 2}), "m1", {1, 2});
  const Routes routes(pipeline, 1);
  double total = 0;
  for (std::size_t i = 0; i < routes.size(); ++i) total += routes[i].probability;
  EXPECT_NEAR(total, 1, 1e-12);
}

TEST(Routes, RequestsFollowTheWeights) {
  const Pipeline pipeline = choosing(diamond(), "m0", {1, 3});
  const Routes routes(pipeline, 7);
  constexpr int kRequests = 100000;
  int first = 0;
  int alternations = 0;
  for (RequestId request = 0; request < kRequests; ++request) {
    first += routes.of(request) == 0 ? 1 : 0;
    alternations += routes.of(request) != routes.of(request + 1) ? 1 : 0;
  }
  // Five standard deviations of a binomial count with p = 1/4; neighbours differ with 2 x 1/4 x 3/4.
  EXPECT_NEAR(first, kRequests * 0.25, 5 * std::sqrt(kRequests * 0.25 * 0.75));
  EXPECT_NEAR(alternations, kRequests * 0.375, 5 * std::sqrt(kRequests * 0.375));
}

TEST(Routes, DependOnTheSeedTheModuleAndTheRequestAlone) {
  // Two choosing modules in a row are independent, and the same seed gives the same choices again.
  const Pipeline one = choosing(linked({{}, {"m0"}, {"m0"}, {"m1", "m2"}, {"m3"}, {"m3"}}), "m0");
  const Pipeline both = choosing(one, "m3");
  const Routes alone(one, 3);
  const Routes together(both, 3);
  const Routes other(both, 4);
  constexpr int kRequests = 20000;
  int agree = 0;
  int same_seed = 0;
  for (RequestId request = 0; request < kRequests; ++request) {
    const Route& route = together[together.of(request)];
    ASSERT_EQ(route.visits(1), alone[alone.of(request)].visits(1)) << "another chooser changes nothing";
    agree += route.visits(1) == route.visits(4) ? 1 : 0;
    same_seed += together.of(request) == other.of(request) ? 1 : 0;
  }
  EXPECT_NEAR(agree, kRequests / 2.0, 5 * std::sqrt(kRequests / 4.0));
  EXPECT_NEAR(same_seed, kRequests / 4.0, 5 * std::sqrt(kRequests * 3 / 16.0));
}

}  // namespace
}  // namespace harness
