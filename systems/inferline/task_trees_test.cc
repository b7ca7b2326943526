// InferLine on task trees (Loki, section 2.1), and what the Estimator knows of a query's path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"
#include "systems/all_systems.h"
#include "systems/inferline/coarse_plan.h"
#include "systems/inferline/greedy_planner.h"
#include "systems/inferline/served_models.h"
#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::engine_latencies;
using testing::variant;

/// A tree that is served with the most accurate variants; no batch is larger than the profile's.
RunSpec tree_cell_of(Pipeline pipeline, std::vector<Profile> profiles, const std::vector<int>& replicas,
                     std::vector<TimeNs> times, std::uint64_t seed) {
  testing::TreeRules rules;
  rules.max_batch = 1024;
  rules.workers.emplace_back(pipeline.modules.size(), 0);
  for (std::size_t t = 0; t < replicas.size(); ++t)
    rules.workers.front()[pipeline.tasks[t].first] = replicas[t];
  const TimeNs duration_ns = times.back() + 1;
  RunSpec spec =
      testing::tree_cell(std::move(pipeline), std::move(profiles), rules, std::move(times), duration_ns);
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.seed = seed;
  return spec;
}

// As on pipelines of modules (estimator_test.cc), with fan-outs: a query ends with the last visit that it
// causes, in the engine and in the Estimator alike, to the nanosecond.
TEST(TaskTrees, AreEstimatedAsTheEngineServesThem) {
  std::size_t visits = 0;
  std::size_t queries = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, "test.estimator.trees");
    const Pipeline tree = testing::random_tree(random, random.below(4) > 0);
    const bool is_coarse = random.below(2) == 0;  // so that events coincide
    std::vector<Profile> profiles;
    for (std::size_t m = 0; m < tree.modules.size(); ++m) {
      const double item_ms =
          is_coarse ? 1 + static_cast<double>(random.below(4)) : 0.5 + 4 * random.uniform();
      const double fixed_ms = is_coarse ? static_cast<double>(random.below(5)) : 5 * random.uniform();
      const int max_batch = 1 + static_cast<int>(random.below(16));
      profiles.push_back(testing::linear_profile("m" + std::to_string(m), item_ms, fixed_ms, max_batch));
    }
    std::vector<int> replicas;
    Configuration plan;
    for (const Task& task : tree.tasks) {
      replicas.push_back(1 + static_cast<int>(random.below(6)));
      plan.push_back({0, profiles[task.first].max_batch(), replicas.back()});
    }
    const double rate_rps = 20 + 200 * random.uniform();
    std::vector<TimeNs> times = testing::poisson_times(rate_rps, kNsPerS, random.bits());
    if (is_coarse) {
      for (TimeNs& time : times) time -= time % kNsPerMs;
    }
    const RunSpec spec = tree_cell_of(tree, profiles, replicas, times, random.bits());
    const ServingContext context = make_context(spec);
    const ServedModels served(context);
    const Hardware hardware(served.context());
    Estimator estimator(*served.context().pipeline, hardware, times, spec.seed);
    const auto estimated = estimator.latencies(plan);
    ASSERT_EQ(std::vector<TimeNs>(estimated.begin(), estimated.end()), engine_latencies(spec))
        << "seed " << seed;
    visits += estimator.visits();
    queries += estimator.queries();
  }
  EXPECT_GT(visits, 2 * queries);
}

// What may end a simulation early never changes a verdict: queries count, not their visits.
TEST(TaskTrees, MeetAnSloByTheirQueries) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed, "test.estimator.tree_slo");
    const Pipeline tree = testing::random_tree(random);
    std::vector<Profile> profiles = testing::random_profiles(random, tree.modules.size());
    const int each = 1 + static_cast<int>(random.below(30));
    const Configuration plan(tree.tasks.size(), {0, 4, each});
    const std::vector<TimeNs> times = testing::poisson_times(100, 5 * kNsPerS, random.bits());
    const RunSpec spec = tree_cell_of(tree, profiles, std::vector<int>(tree.tasks.size(), each), times, seed);
    const ServingContext context = make_context(spec);
    const ServedModels served(context);
    const Hardware hardware(served.context());
    Estimator whole(*served.context().pipeline, hardware, times, seed);
    const TimeNs p99_ns = whole.p99_ns(plan);
    for (const double factor : {0.5, 0.9, 0.999, 1.0, 1.1}) {
      Estimator stops(*served.context().pipeline, hardware, times, seed);
      const auto slo_ns = static_cast<TimeNs>(static_cast<double>(p99_ns) * factor);
      ASSERT_EQ(stops.meets(plan, slo_ns), factor >= 1) << "seed " << seed << ", factor " << factor;
    }
  }
}

// By hand: a detector of 10 ms finds three cars, of 5 ms each. One replica each: 10 + 3 x 5 ms; three of the
// second task: 10 + 5 ms. s_m are 1 and 3.
TEST(TaskTrees, EndWithTheirLastVisit) {
  const RunSpec spec = tree_cell_of(testing::cars(), testing::car_profiles(), {1, 1}, {0}, 1);
  const ServingContext context = make_context(spec);
  const ServedModels served(context);
  ASSERT_EQ(served.size(), 2U);
  EXPECT_EQ(served.module(1), 2);
  EXPECT_EQ(served.context().pipeline->modules[1].model, "b7");
  const Hardware hardware(served.context());
  Estimator estimator(*served.context().pipeline, hardware, {0}, 1);
  EXPECT_EQ(estimator.latencies({{0, 1, 1}, {0, 1, 1}})[0], 25 * kNsPerMs);
  EXPECT_EQ(estimator.latencies({{0, 1, 1}, {0, 1, 2}})[0], 20 * kNsPerMs);
  EXPECT_EQ(estimator.latencies({{0, 1, 1}, {0, 1, 3}})[0], 15 * kNsPerMs);
  EXPECT_DOUBLE_EQ(estimator.scale_factor(0), 1);
  EXPECT_DOUBLE_EQ(estimator.scale_factor(1), 3);
}

// The same detector at 50 queries/s, one each 20 ms: 0.5 replicas of the first task and 0.75 of the second;
// within 25 ms one of each will do, within 20 ms the second task needs two, within 15 ms three. A unit of one
// replica each carries a third of 1 / 5 ms.
TEST(TaskTrees, ArePlannedByVisitsOfAQuery) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 200; ++i) times.push_back(i * 20 * kNsPerMs);
  RunSpec spec = tree_cell_of(testing::cars(), testing::car_profiles(), {9, 9}, times, 1);
  std::vector<Profile>& profiles = spec.profiles;
  for (Profile& profile : profiles) profile.latency_ns.resize(1);
  const ServingContext context = make_context(spec);
  const ServedModels served(context);
  const Hardware hardware(served.context());
  const Pipeline& pipeline = *served.context().pipeline;
  Estimator estimator(pipeline, hardware, times, 1);
  for (const auto& [slo_ms, cars] : std::map<double, int>{{25, 1}, {20, 2}, {15, 3}}) {
    GreedyPlanner planner(pipeline, hardware, estimator, 4 * kNsPerS, ms_to_ns(slo_ms), {});
    EXPECT_EQ(planner.plan(), (Configuration{{0, 1, 1}, {0, 1, cars}})) << slo_ms;
    EXPECT_DOUBLE_EQ(planner.utilisation({{0, 1, 1}, {0, 1, 1}}, 1), 50 * 3 * 0.005);
    EXPECT_THROW(GreedyPlanner(pipeline, hardware, estimator, 4 * kNsPerS, ms_to_ns(14.9), {}).plan(),
                 InputError);
  }
  EXPECT_DOUBLE_EQ(unit_rps(hardware, estimator, {{0, 1, 1}, {0, 1, 1}}), 200.0 / 3);
  const Configuration coarse = coarse_plan(pipeline, hardware, estimator, ms_to_ns(15), 100);
  EXPECT_EQ(coarse, (Configuration{{0, 1, 2}, {0, 1, 2}}));  // 100 / 66.7
}

// Planner and Tuner in a run on two kinds of devices. On the second kind only the worse of the cars'
// classifiers runs, and nobody needs it. As above, an SLO of 25 ms takes one worker per task; the other
// variants get none.
TEST(TaskTrees, AreServedByTheMostAccurateVariants) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 200; ++i) times.push_back(i * 20 * kNsPerMs);
  RunSpec spec = tree_cell_of(testing::cars(), testing::car_profiles(), {9, 9}, times, 1);
  spec.system = find_system("inferline")->make();
  spec.slo_ns = 25 * kNsPerMs;
  auto planning = std::make_shared<PlanningTimes>();
  planning->sample = times;
  planning->sample_ns = 4 * kNsPerS;
  spec.planning = planning;
  spec.devices = {{"gpu", 9, 1, {spec.profiles[0], spec.profiles[1], spec.profiles[2], std::nullopt}},
                  {"cpu", 9, 0.5, {std::nullopt, std::nullopt, std::nullopt, spec.profiles[3]}}};
  const Plan plan = initial_plan(spec, 50);
  settle_devices(spec, plan);
  std::vector<int> workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  EXPECT_EQ(workers, (std::vector<int>{1, 0, 1, 0}));
  EXPECT_EQ(plan.modules[3].device, 1);
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.in_time, 200U);
  EXPECT_EQ(record.modules[0].done, 200U);
  EXPECT_EQ(record.modules[2].done, 600U);
  EXPECT_EQ(record.modules[1].arrived + record.modules[3].arrived, 0U);
}

// Section 4.1: a query takes each branch with the measured share of the queries that take it, independently
// of all else. If a module sends each query to one of two subs, it then takes both as often as the product of
// the shares.
TEST(IndependentPaths, AreDrawnByScaleFactors) {
  Pipeline pipeline = testing::chain(4);
  ASSERT_EQ(link_modules(pipeline, {{}, {"m0"}, {"m0"}, {"m1"}}, {{}, {}, {}, {}}), "");
  ASSERT_EQ(choose_one(pipeline, "m0", {"m1", "m2"}, {0.4, 0.6}), "");
  ASSERT_EQ(choose_each(pipeline, "m1", {"m3"}, {0.5}), "");
  constexpr std::size_t kQueries = 100'000;
  const auto own = sample_paths(pipeline, kQueries, 7, PathDraws::kRoute);
  const auto drawn = sample_paths(pipeline, kQueries, 7, PathDraws::kIndependent);
  const auto& one = drawn[1].takes[0];
  const auto& other = drawn[2].takes[0];
  std::size_t both = 0;
  std::size_t third = 0;
  for (std::size_t query = 0; query < kQueries; ++query) {
    ASSERT_EQ(own[1].takes[0][query] + own[2].takes[0][query], 1);
    both += one[query] + other[query] == 2 ? 1 : 0;
    third += one[query] + drawn[3].takes[0][query] == 2 ? 1 : 0;
  }
  const double sigma = 0.5 / std::sqrt(kQueries);
  for (ModuleId m = 0; m < 4; ++m) {
    EXPECT_EQ(drawn[m].measured, own[m].visits);
    EXPECT_NEAR(static_cast<double>(drawn[m].visits) / kQueries,
                static_cast<double>(own[m].visits) / kQueries, 5 * sigma)
        << m;
  }
  EXPECT_NEAR(static_cast<double>(both) / kQueries, 0.24, 5 * sigma);
  EXPECT_EQ(drawn[3].visits, third);
  EXPECT_TRUE(drawn[0].may_end);
  EXPECT_FALSE(own[0].may_end);
}

// A join is visited by the queries that come from any of its pres, once, after the last of these branches.
TEST(IndependentPaths, MeetAtJoins) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "test.estimator.independent");
    const auto world = testing::random_inferline_world(random);
    const Hardware hardware(world->context);
    Estimator estimator(world->pipeline, hardware, world->planning.sample, seed, PathDraws::kIndependent);
    const auto paths = sample_paths(world->pipeline, estimator.queries(), seed, PathDraws::kIndependent);
    // With a replica for each visit nothing waits: a query's latency is its longest path.
    Configuration configuration;
    for (ModuleId m = 0; m < world->pipeline.modules.size(); ++m)
      configuration.push_back({hardware.fastest(m), 1, static_cast<int>(estimator.queries())});
    const auto latencies = estimator.latencies(configuration);
    for (std::size_t query = 0; query < estimator.queries(); ++query) {
      std::vector<TimeNs> end_ns(paths.size(), 0);  // 0: not visited
      for (ModuleId m = 0; m < paths.size(); ++m) {
        const std::vector<ModuleId>& pres = world->pipeline.modules[m].pres;
        TimeNs start_ns = pres.empty() ? 0 : -1;
        for (std::size_t edge = 0; edge < pres.size(); ++edge) {
          const auto& takes = paths[m].takes[edge];
          if (end_ns[pres[edge]] > 0 && (takes.empty() || takes[query] != 0))
            start_ns = std::max(start_ns, end_ns[pres[edge]]);
        }
        if (start_ns >= 0) end_ns[m] = start_ns + hardware.exec_ns(m, configuration[m]);
      }
      ASSERT_EQ(latencies[query], std::ranges::max(end_ns)) << "seed " << seed << ", query " << query;
    }
  }
}

// A visit causes one of the two whole numbers around the measured mean, whatever its siblings cause.
TEST(IndependentPaths, OfATreeKeepTheMeans) {
  const Pipeline tree = most_accurate_part(testing::tree({{"a", {"b", "c"}, {variant("a", 1, {2.5, 0.25})}},
                                                          {"b", {"d"}, {variant("b", 1, {1.5})}},
                                                          {"c", {}, {variant("c", 1)}},
                                                          {"d", {}, {variant("d", 1)}}},
                                                         false));
  constexpr std::size_t kQueries = 20'000;
  const auto own = sample_paths(tree, kQueries, 3, PathDraws::kRoute);
  const auto drawn = sample_paths(tree, kQueries, 3, PathDraws::kIndependent);
  const auto per_query = [](std::size_t visits) { return static_cast<double>(visits) / kQueries; };
  for (ModuleId m = 0; m < tree.modules.size(); ++m) {
    EXPECT_EQ(drawn[m].measured, own[m].visits);
    EXPECT_NEAR(per_query(drawn[m].visits), per_query(own[m].visits), 0.03) << m;
  }
  const auto most_of = [](const ModelPaths& paths) {
    std::uint32_t most = 0;
    for (std::size_t cause = 0; cause + 1 < paths.caused.size(); ++cause)
      most = std::max(most, paths.caused[cause + 1] - paths.caused[cause]);
    return most;
  };
  EXPECT_GT(most_of(own[1]), 6U);    // Poisson
  EXPECT_EQ(most_of(drawn[1]), 3U);  // 2 or 3
  EXPECT_TRUE(drawn[0].is_sure[0]);
  EXPECT_FALSE(own[0].is_sure[0]);
}

// The plan of 12 + 6 + 2 replicas on a cluster of ten: each model gets one, and each other replica goes to
// the model that has the least share of what it wants.
TEST(TooSmallClusters, GiveEachModelTheSameShare) {
  testing::InferLineWorld world;
  world.pipeline = testing::chain(3);
  world.devices = {testing::device_of("gpu", 10, 1, {{1, 1, 4}, {1, 1, 4}, {1, 1, 4}})};
  world.link();
  const Hardware hardware(world.context);
  EXPECT_EQ(hardware.shrunk({{0, 1, 12}, {0, 2, 6}, {0, 1, 2}}),
            (Configuration{{0, 1, 6}, {0, 2, 3}, {0, 1, 1}}));
  EXPECT_EQ(hardware.shrunk({{0, 1, 2}, {0, 2, 6}, {0, 1, 2}}),
            (Configuration{{0, 1, 2}, {0, 2, 6}, {0, 1, 2}}));
  world.devices.front().count = 2;
  const Hardware two(world.context);
  EXPECT_THROW(two.shrunk({{0, 1, 12}, {0, 2, 6}, {0, 1, 2}}), InputError);
}

}  // namespace
}  // namespace harness
