#include "systems/inferline/greedy_planner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systems/inferline/coarse_plan.h"
#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::device_of;
using testing::InferLineWorld;

/// Evenly spaced queries.
std::vector<TimeNs> even_times(double rate_rps, TimeNs length_ns) {
  std::vector<TimeNs> times;
  for (int i = 0; static_cast<double>(i) / rate_rps < ns_to_s(length_ns); ++i)
    times.push_back(s_to_ns(i / rate_rps));
  return times;
}

struct Planned {
  Configuration initial;
  Configuration plan;
  double cost = 0;
};

Planned planned(const InferLineWorld& world, const GreedyParams& params = {}) {
  const Hardware hardware(world.context);
  Estimator estimator(world.pipeline, hardware, world.planning.sample, 1);
  GreedyPlanner planner(world.pipeline, hardware, estimator, world.planning.sample_ns, world.context.slo_ns,
                        params);
  Planned result;
  result.initial = planner.initial();
  result.plan = planner.plan();
  result.cost = hardware.cost(result.plan);
  return result;
}

InferLineWorld world_of(std::size_t models, std::vector<ClusterDevice> devices, double rate_rps,
                        double slo_ms) {
  InferLineWorld world;
  world.pipeline = testing::chain(models);
  world.devices = std::move(devices);
  world.planning.sample_ns = 10 * kNsPerS;
  world.planning.sample = even_times(rate_rps, world.planning.sample_ns);
  world.context.slo_ns = ms_to_ns(slo_ms);
  return world;
}

TEST(Hardware, CountsReplicasWhereTheOneKindHasNoPriceAndNeedsPricesOfSeveral) {
  const std::vector<ClusterDevice> kinds = {device_of("gpu", 10, 0, {{5, 0, 1}}),
                                            device_of("cpu", 10, 0.1, {{9, 0, 1}})};
  InferLineWorld one = world_of(1, {kinds[0]}, 100, 100);
  one.link();
  EXPECT_EQ(Hardware(one.context).price(0), 1);
  InferLineWorld two = world_of(1, kinds, 100, 100);
  two.link();
  EXPECT_THROW(Hardware{two.context}, InputError) << "costs would say nothing";
}

// Algorithm 1 by hand: 100 queries/s, one every 10 ms; m0 takes 5 ms, m1 25 ms: one and three replicas.
TEST(GreedyPlanner, AddsReplicasAtTheBottleneck) {
  InferLineWorld world = world_of(2, {device_of("gpu", 10, 1, {{5, 0, 1}, {25, 0, 1}})}, 100, 100);
  world.link();
  const Planned result = planned(world);
  EXPECT_EQ(result.initial, (Configuration{{0, 1, 1}, {0, 1, 3}}));
  EXPECT_EQ(result.plan, result.initial);  // nothing cuts cost: no larger batches, no other hardware
}

// A model that a cheap kind serves within the SLO moves there (the paper's language identification); the
// other one is too slow there.
TEST(GreedyPlanner, MovesAModelToCheaperHardware) {
  InferLineWorld world = world_of(2,
                                  {device_of("gpu", 10, 1, {{5, 0, 1}, {20, 0, 1}}),
                                   device_of("cpu", 10, 0.1, {{15, 0, 1}, {400, 0, 1}})},
                                  40, 100);
  world.link();
  const Planned result = planned(world);
  EXPECT_EQ(result.initial, (Configuration{{0, 1, 1}, {0, 1, 1}}));
  EXPECT_EQ(result.plan, (Configuration{{1, 1, 1}, {0, 1, 1}}));
  EXPECT_DOUBLE_EQ(result.cost, 1.1);
  world.context.slo_ns = ms_to_ns(30);  // 15 + 20 ms are too long: a lower SLO keeps it on the GPU
  EXPECT_EQ(planned(world).plan, result.initial);
}

// 100 queries/s on b + 9 ms: a batch of 1 takes a replica of 100/s, batches of 2 carry 182/s. At 180/s two
// replicas of batch 1 become one with larger batches, which save nothing by themselves.
TEST(GreedyPlanner, GrowsBatchesToSaveReplicas) {
  InferLineWorld world = world_of(1, {device_of("gpu", 10, 1, {{1, 9, 16}})}, 180, 200);
  world.link();
  const Planned result = planned(world);
  EXPECT_EQ(result.initial.front().replicas, 2);
  EXPECT_EQ(result.plan.front().replicas, 1);
  EXPECT_GE(result.plan.front().max_batch, 2);
}

// Batches of an evenly spaced load are never full: of b + 9 ms at 50 queries/s. Those of 16 take 25 ms.
TEST(GreedyPlanner, FullBatchesMayHaveToMeetTheSloToo) {
  InferLineWorld world = world_of(2, {device_of("gpu", 10, 1, {{1, 9, 16}, {1, 9, 16}})}, 50, 40);
  world.link();
  const Hardware hardware(world.context);
  Estimator estimator(world.pipeline, hardware, world.planning.sample, 1);
  const auto is_feasible = [&](double factor, int first_batch, int second_batch) {
    GreedyParams params;
    params.sizing_factor = factor;
    GreedyPlanner planner(world.pipeline, hardware, estimator, world.planning.sample_ns, world.context.slo_ns,
                          params);
    return planner.is_feasible({{0, first_batch, 1}, {0, second_batch, 1}});
  };
  EXPECT_TRUE(is_feasible(0, 16, 16));
  EXPECT_FALSE(is_feasible(1, 16, 16));
  EXPECT_TRUE(is_feasible(1, 16, 6)) << "25 + 15 ms";
  EXPECT_TRUE(is_feasible(2, 1, 1)) << "2 x 20 ms";
  EXPECT_FALSE(is_feasible(2, 1, 2));
  GreedyParams params;
  params.sizing_factor = 2.5;
  EXPECT_THROW(planned(world, params), InputError) << "2.5 x 20 ms";
}

TEST(GreedyPlanner, SaysWhatIsLacking) {
  InferLineWorld world = world_of(1, {device_of("gpu", 2, 1, {{50, 0, 1}})}, 100, 200);
  world.link();
  const Hardware hardware(world.context);
  EXPECT_FALSE(hardware.has_room_for(planned(world).plan));
  try {
    hardware.check_room_for(planned(world).plan);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the plan needs 5 of the devices 'gpu', the cluster has 2");
  }
  world.context.slo_ns = ms_to_ns(49);
  try {
    planned(world);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("50 ms, longer than the SLO of 49 ms"), std::string::npos)
        << error.what();
  }
}

/// P99 <= SLO and every model keeps up, by an estimator that has planned nothing.
bool is_feasible(const InferLineWorld& world, const Hardware& hardware, const Configuration& configuration) {
  Estimator estimator(world.pipeline, hardware, world.planning.sample, 1);
  if (estimator.p99_ns(configuration) > world.context.slo_ns) return false;
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    const double work = static_cast<double>(world.planning.sample.size()) * estimator.scale_factor(m) /
                        ns_to_s(world.planning.sample_ns);
    if (work > configuration[m].replicas * hardware.replica_rps(m, configuration[m]) * (1 + 1e-9))
      return false;
  }
  return true;
}

// The guarantees of section 4.3: where a configuration exists a valid one comes back, and no single action
// cuts its cost: no replica can go, and no cheaper kind serves a model for less, with the batch size that the
// planner's rule finds first.
TEST(GreedyPlanner, KeepsThePapersGuarantees) {
  int plans = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "test.inferline.plan");
    const auto world = testing::random_inferline_world(random);
    const Hardware hardware(world->context);
    Configuration fastest;
    for (ModuleId m = 0; m < world->pipeline.modules.size(); ++m)
      fastest.push_back({hardware.fastest(m), 1, 1});
    if (hardware.service_ns(fastest) > world->context.slo_ns) {
      EXPECT_THROW(planned(*world), InputError) << "seed " << seed;
      continue;
    }
    GreedyParams params;
    params.batch_choice = static_cast<GrownBatch>(random.below(2));
    const Planned result = planned(*world, params);
    ++plans;
    ASSERT_TRUE(is_feasible(*world, hardware, result.plan)) << "seed " << seed;
    EXPECT_LE(result.cost, hardware.cost(result.initial));
    for (ModuleId m = 0; m < result.plan.size(); ++m) {
      Configuration fewer = result.plan;
      if (--fewer[m].replicas > 0) {
        EXPECT_FALSE(is_feasible(*world, hardware, fewer)) << "seed " << seed << ", module " << m;
      }
      const std::uint16_t cheaper = hardware.next_cheaper(m, result.plan[m].device);
      if (cheaper == result.plan[m].device) continue;
      const double cost = result.plan[m].replicas * hardware.price(result.plan[m].device);
      Configuration down = result.plan;
      for (int replicas = 1; replicas * hardware.price(cheaper) < cost - 1e-9; ++replicas) {
        down[m] = {cheaper, 1, replicas};
        EXPECT_FALSE(is_feasible(*world, hardware, down))
            << "seed " << seed << ", module " << m << " on " << replicas << " " << hardware.name(cheaper);
      }
    }
  }
  EXPECT_GT(plans, 40);
}

// The peak of CG-Peak: the most queries in a window of one SLO, which does not hold both of its ends.
TEST(CoarsePlan, CountsThePeakInHalfOpenWindows) {
  const std::vector<TimeNs> times = {0, 40 * kNsPerMs, 100 * kNsPerMs, 150 * kNsPerMs, 199 * kNsPerMs};
  EXPECT_DOUBLE_EQ(peak_rate_rps(times, 100 * kNsPerMs), 3 / 0.1);
  EXPECT_DOUBLE_EQ(peak_rate_rps(times, 160 * kNsPerMs), 4 / 0.16);
  EXPECT_DOUBLE_EQ(peak_rate_rps({}, 100 * kNsPerMs), 0);
}

// One replica of 10 ms, an SLO of 15 ms: even gaps carry 100/s, random ones far less.
TEST(CoarsePlan, AUnitCarriesLessWithinTheSloThanItsThroughput) {
  InferLineWorld world = world_of(1, {device_of("gpu", 10, 1, {{10, 0, 1}})}, 50, 15);
  world.link();
  const Hardware hardware(world.context);
  const Configuration unit = {{0, 1, 3}};
  const auto carried = [&](const std::vector<TimeNs>& sample) {
    return unit_rate_within_slo_rps(world.pipeline, hardware, sample, world.planning.sample_ns, 1, unit,
                                    world.context.slo_ns);
  };
  EXPECT_NEAR(carried(world.planning.sample), 100, 0.2);  // even gaps never wait
  const double poisson = carried(testing::poisson_times(50, world.planning.sample_ns, 3));
  EXPECT_GT(poisson, 1);
  EXPECT_LT(poisson, 20);  // P99 of the wait within half a service
}

// One batch size for all, the largest whose path meets the SLO: 2 b + 8 and b + 4 ms give 3 b + 12 <= 60, so
// 16. A unit carries 16 / 40 ms = 400/s, of its slower model; 1,000/s are three units.
TEST(CoarsePlan, ReplicatesThePipelineAsOneUnit) {
  InferLineWorld world = world_of(2, {device_of("gpu", 10, 1, {{2, 8, 64}, {1, 4, 64}})}, 100, 60);
  world.link();
  const Hardware hardware(world.context);
  const Estimator estimator(world.pipeline, hardware, world.planning.sample, 1);
  const Configuration plan = coarse_plan(world.pipeline, hardware, estimator, world.context.slo_ns, 1000);
  EXPECT_EQ(plan, (Configuration{{0, 16, 3}, {0, 16, 3}}));
  EXPECT_DOUBLE_EQ(unit_rps(hardware, estimator, plan), 400);
}

}  // namespace
}  // namespace harness
