#include "systems/inferline/exact_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::device_of;
using testing::InferLineWorld;
using testing::Speed;

/// m0 -> {m1, m2}, joined at m3 or not, to one of them, to each, or to both.
Pipeline small_dag(RandomStream& random) {
  const bool is_joined = random.below(2) == 0;
  Pipeline pipeline = testing::chain(is_joined ? 4 : 3);
  std::vector<std::vector<std::string>> pres = {{}, {"m0"}, {"m0"}};
  if (is_joined) pres.push_back({"m1", "m2"});
  HARNESS_CHECK(link_modules(pipeline, pres, std::vector<std::vector<std::string>>(pres.size())).empty(),
                "a DAG");
  const std::uint64_t choice = random.below(3);
  if (choice == 0) choose_one(pipeline, "m0", {"m1", "m2"}, {1, 2});
  if (choice == 1) choose_each(pipeline, "m0", {"m1", "m2"}, {0.5, 1});
  return pipeline;
}

/// Two kinds with a few devices each, batches of at most 4, and a hundred or two queries.
std::unique_ptr<InferLineWorld> small_world(RandomStream& random) {
  auto world = std::make_unique<InferLineWorld>();
  const bool is_chain = random.below(2) == 0;
  world->pipeline = is_chain ? testing::chain(1 + random.below(3)) : small_dag(random);
  const std::size_t models = world->pipeline.modules.size();
  std::vector<Speed> slow;
  std::vector<Speed> fast;
  for (std::size_t m = 0; m < models; ++m) {
    const double item_ms = 4 + 20 * random.uniform();
    const double gain = 1 + 6 * random.uniform();
    const int max_batch = models > 3 ? 2 : 4;
    slow.push_back({item_ms, random.below(2) == 0 ? 0.0 : 5.0, max_batch});
    fast.push_back({item_ms / gain / 3, item_ms / gain, max_batch});
    const std::uint64_t only = random.below(8);
    if (only == 0) slow.back().alpha_ms = 0;
    if (only == 1) fast.back().alpha_ms = 0;
  }
  const int count = models > 3 ? 2 : 4;
  world->devices = {
      device_of("cpu", count + static_cast<int>(random.below(2)), 0.1 + 0.3 * random.uniform(), slow),
      device_of("gpu", count, 0.5 + random.uniform(), fast)};
  world->planning.sample_ns = 3 * kNsPerS;
  world->planning.sample =
      testing::poisson_times(10 + 60 * random.uniform(), world->planning.sample_ns, random.bits());
  world->context.slo_ns = ms_to_ns(20 + 200 * random.uniform());
  world->link();
  return world;
}

/// A small world with the planners for it.
struct SmallCase {
  explicit SmallCase(std::uint64_t seed) : random(seed, "test.exact"), world(small_world(random)) {}

  ExactPlan search(int max_simulations, const Configuration& known) {
    return exact_plan(world->pipeline, hardware, estimator, planner, world->context.slo_ns, max_simulations,
                      known);
  }
  /// Returns the greedy plan; empty if no plan is feasible.
  Configuration greedy() {
    try {
      return planner.plan();
    } catch (const InputError&) {
      return {};
    }
  }

  RandomStream random;
  std::unique_ptr<InferLineWorld> world;
  Hardware hardware{world->context};
  Estimator estimator{world->pipeline, hardware, world->planning.sample, 1};
  GreedyPlanner planner{world->pipeline,       hardware, estimator, world->planning.sample_ns,
                        world->context.slo_ns, {}};
};

/// Returns the least cost of all configurations, each simulated by itself; infinite if no configuration is
/// feasible.
double exhaustive_cost(const InferLineWorld& world, const Hardware& hardware, GreedyPlanner& planner) {
  const std::size_t models = world.pipeline.modules.size();
  Estimator estimator(world.pipeline, hardware, world.planning.sample, 1);
  std::vector<std::vector<ModelConfiguration>> options(models);
  for (ModuleId m = 0; m < models; ++m) {
    for (std::uint16_t kind = 0; kind < hardware.kinds(); ++kind) {
      if (hardware.find_profile(m, kind) == nullptr) continue;
      for (int batch = 1; batch <= hardware.find_profile(m, kind)->max_batch(); batch *= 2) {
        for (int replicas = 1; replicas <= hardware.count(kind); ++replicas)
          options[m].push_back({kind, batch, replicas});
      }
    }
  }
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> at(models, 0);
  for (std::size_t m = 0; m < models;) {
    Configuration configuration;
    for (std::size_t i = 0; i < models; ++i) configuration.push_back(options[i][at[i]]);
    const double cost = hardware.cost(configuration);
    bool is_possible = cost < least && hardware.has_room_for(configuration);
    for (ModuleId i = 0; i < models; ++i)
      is_possible = is_possible && planner.utilisation(configuration, i) <= 1 + 1e-9;
    if (is_possible && estimator.p99_ns(configuration) <= world.context.slo_ns) least = cost;
    for (m = 0; m < models && ++at[m] == options[m].size(); ++m) at[m] = 0;
  }
  return least;
}

TEST(ExactSearch, FindsWhatExhaustiveSearchFinds) {
  int feasible = 0;
  int greedy_is_dearer = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SmallCase small(seed);
    const Configuration greedy = small.random.below(4) > 0 ? small.greedy() : Configuration{};
    const ExactPlan found = small.search(1'000'000, greedy);
    ASSERT_TRUE(found.is_proven) << "seed " << seed;
    const double least = exhaustive_cost(*small.world, small.hardware, small.planner);
    ASSERT_EQ(found.configuration.empty(), std::isinf(least)) << "seed " << seed;
    if (found.configuration.empty()) continue;
    ++feasible;
    ASSERT_NEAR(small.hardware.cost(found.configuration), least, 1e-9) << "seed " << seed;
    ASSERT_NEAR(found.bound, least, 1e-6) << "seed " << seed;
    ASSERT_TRUE(small.planner.is_feasible(found.configuration));
    if (!greedy.empty() && small.hardware.cost(greedy) > least + 1e-9) ++greedy_is_dearer;
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(greedy_is_dearer, 5);
}

// A search that was stopped has the plan it was given or a better one, and its bound holds.
TEST(ExactSearch, KeepsTheBestKnownWhereItIsStopped) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SmallCase small(seed);
    const Hardware& hardware = small.hardware;
    const Configuration greedy = small.greedy();
    if (greedy.empty() || !hardware.has_room_for(greedy)) continue;
    const ExactPlan whole = small.search(1'000'000, greedy);
    const ExactPlan part = small.search(1 + whole.simulations / 2, greedy);
    EXPECT_LE(part.simulations, 1 + whole.simulations / 2);
    EXPECT_LE(hardware.cost(part.configuration), hardware.cost(greedy) + 1e-9);
    EXPECT_LE(part.bound, hardware.cost(whole.configuration) + 1e-9);
    stopped += part.is_proven ? 0 : 1;
  }
  EXPECT_GT(stopped, 10);
}

}  // namespace
}  // namespace harness
