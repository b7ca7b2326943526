#include "systems/loki/resource_manager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "systems/loki/test_loki_world.h"

namespace harness {
namespace {

std::vector<int> workers_of(const Plan& plan) {
  std::vector<int> workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  return workers;
}

LoadStatistics measured(std::vector<double> module_rps, std::vector<std::vector<double>> fan_out = {}) {
  LoadStatistics load;
  load.offered_rps = module_rps.front();
  load.module_rps = std::move(module_rps);
  load.fan_out = std::move(fan_out);
  return load;
}

class Manager {
 public:
  explicit Manager(const LokiWorld& world, Allocator allocator = Allocator::kLoki, PlanningParams params = {})
      : manager_(world.context, params, allocator, TaskBudgets{}) {}

  const Plan& start(double rate_rps) {
    LoadStatistics load;
    load.offered_rps = rate_rps;
    return plan_ = manager_.plan(0, load, {});
  }
  const Plan& at(double now_s, const LoadStatistics& load) {
    return plan_ = manager_.plan(s_to_ns(now_s), load, plan_);
  }
  const Metadata& metadata() const { return static_cast<const Metadata&>(*plan_.details); }

 private:
  ResourceManager manager_;
  Plan plan_;
};

/// One model of 10 ms, one at a time: 100 requests/s a worker.
LokiWorld one_model() { return LokiWorld({{"only", {}, {task_variant("a", 1)}}}, {{10}}, 100, 8); }

TEST(ResourceManager, GivesOneVariantTheWorkersThatItsDemandNeeds) {
  const LokiWorld world = one_model();
  const Plan plan = Manager(world).start(250);
  ASSERT_EQ(plan.modules.size(), 1U);
  EXPECT_EQ(plan.modules[0], (ModulePlan{3, 1, ms_to_ns(10), ms_to_ns(20)}));
  PlanningParams generous;
  generous.headroom = 1.5;
  EXPECT_EQ(Manager(world, Allocator::kLoki, generous).start(250).modules[0].workers, 4);
}

TEST(ResourceManager, KeepsAPlanForItsPeriod) {
  const LokiWorld world = one_model();
  Manager manager(world);
  const Plan first = manager.start(250);
  EXPECT_EQ(first.modules[0].workers, 3);
  const Plan second = manager.at(1, measured({250}));
  EXPECT_NE(second.details, first.details);
  EXPECT_EQ(second, first) << "what was measured since is no other plan";
  // To 299 and no further: 20 % more than planned for would be 300.
  for (int s = 2; s < 10; ++s) EXPECT_EQ(manager.at(s, measured({299})).modules[0].workers, 3) << s;
  EXPECT_GT(manager.metadata().demand_rps, 295);
  EXPECT_EQ(manager.at(10, measured({300})).modules[0].workers, 3);
  for (int s = 11; s < 20; ++s) EXPECT_EQ(manager.at(s, measured({310})).modules[0].workers, 3) << s;
  EXPECT_EQ(manager.at(20, measured({310})).modules[0].workers, 4);
}

TEST(ResourceManager, PlansAnewOnASignificantChange) {
  const LokiWorld world = one_model();
  Manager manager(world);
  manager.start(100);
  // (400 + 0.68 x 100) / 1.68 = 278.6
  EXPECT_EQ(manager.at(1, measured({400})).modules[0].workers, 3);
  EXPECT_NEAR(manager.metadata().demand_rps, 468 / 1.68, 1e-9);
  // Its period begins there, not at 0: at 10 s the demand is near 300, within 20 % of 278.6.
  for (int s = 2; s < 11; ++s) EXPECT_EQ(manager.at(s, measured({301})).modules[0].workers, 3) << s;
  EXPECT_EQ(manager.at(11, measured({310})).modules[0].workers, 4);
  EXPECT_EQ(manager.at(12, measured({0})).modules[0].workers, 3);  // less is a change as well: 205 or so
}

/// A detector of 10 ms that is said to find `found` cars, of 5 ms each.
LokiWorld cars_of(double found, double slo_ms = 100, int workers = 10,
                  const std::vector<std::vector<double>>& latency_ms = {{10}, {5}}) {
  return LokiWorld(
      {{"detect", {"cars"}, {task_variant("d", 1, {found})}}, {"cars", {}, {task_variant("c", 1)}}},
      latency_ms, slo_ms, workers);
}

TEST(ResourceManager, PlansWithTheFanOutsThatItMeasures) {
  const LokiWorld world = cars_of(1);
  Manager manager(world);
  EXPECT_EQ(workers_of(manager.start(90)), (std::vector<int>{1, 1}));
  EXPECT_EQ(manager.metadata().fan_out[0][0], 1);
  // Nobody has been served: as declared. Then five: (5 x 90) / 200 workers, from the next period of planning
  // on.
  EXPECT_EQ(workers_of(manager.at(1, measured({90, 0}, {{NAN}, {}}))), (std::vector<int>{1, 1}));
  EXPECT_EQ(manager.metadata().fan_out[0][0], 1);
  for (int s = 2; s < 10; ++s)
    EXPECT_EQ(workers_of(manager.at(s, measured({90, 450}, {{5}, {}}))), (std::vector<int>{1, 1}));
  EXPECT_EQ(manager.metadata().fan_out[0][0], 5);
  EXPECT_EQ(workers_of(manager.at(10, measured({90, 450}, {{5}, {}}))), (std::vector<int>{1, 3}));
}

// 90 frames/s cause 180 cars/s, of which a worker carries 200; 1.2 times as many are 216.
TEST(ResourceManager, PlansForLargerFanOutsWhereToldTo) {
  const LokiWorld world = cars_of(2);
  PlanningParams params;
  EXPECT_EQ(workers_of(Manager(world, Allocator::kLoki, params).start(90)), (std::vector<int>{1, 1}));
  params.fan_out_factor = 1.2;
  for (const Allocator allocator : {Allocator::kLoki, Allocator::kHwScaling}) {
    Manager manager(world, allocator, params);
    EXPECT_EQ(workers_of(manager.start(90)), (std::vector<int>{1, 2}));
    EXPECT_EQ(manager.metadata().fan_out[0][0], 2) << "tables go by what is measured";
    // Measured: one, which is 108 cars/s.
    for (int s = 1; s < 10; ++s) manager.at(s, measured({90, 90}, {{1}, {}}));
    EXPECT_EQ(workers_of(manager.at(10, measured({90, 90}, {{1}, {}}))), (std::vector<int>{1, 1}));
  }
}

TEST(ResourceManager, PlansForALeastDemand) {
  const LokiWorld world = one_model();
  PlanningParams params;
  params.min_demand_rps = 150;
  Manager manager(world, Allocator::kLoki, params);
  EXPECT_EQ(manager.start(10).modules[0].workers, 2);
  EXPECT_EQ(manager.metadata().demand_rps, 150);
  // Below it nothing changes: (140 + 0.68 x 10) / 1.68 = 87. Then it is the demand that counts.
  EXPECT_EQ(manager.at(1, measured({140})).modules[0].workers, 2);
  EXPECT_EQ(manager.metadata().demand_rps, 150);
  for (int s = 2; s < 8; ++s) manager.at(s, measured({280}));
  EXPECT_EQ(manager.at(8, measured({280})).modules[0].workers, 3);
  EXPECT_GT(manager.metadata().demand_rps, 260);
  params.headroom = 1.5;  // 225
  EXPECT_EQ(Manager(world, Allocator::kLoki, params).start(10).modules[0].workers, 3);
}

// No car is seen, so that one worker is enough for them; 80 frames/s would cause 400, of which a worker
// carries 50.
TEST(ResourceManager, ProteusTakesEachTasksShareOfTheLeastDemand) {
  const LokiWorld world = cars_of(5, 100, 9, {{10}, {20}});
  const auto planned = [&](const PlanningParams& params) {
    Manager manager(world, Allocator::kProteus, params);
    manager.start(50);
    for (int s = 1; s < 30; ++s) manager.at(s, measured({50, 0}));
    return workers_of(manager.at(30, measured({50, 0})));
  };
  PlanningParams params;
  EXPECT_EQ(planned(params), (std::vector<int>{8, 1}));
  params.min_demand_rps = 80;
  EXPECT_EQ(planned(params), (std::vector<int>{1, 8}));
}

TEST(ResourceManager, SaysThatThereIsNoPlan) {
  const LokiWorld few = cars_of(1, 100, 1);
  EXPECT_THROW(Manager(few).start(10), InputError);
  const LokiWorld tight = cars_of(1, 29);
  EXPECT_THROW(Manager(tight).start(10), InputError);
  EXPECT_THROW(Manager(tight, Allocator::kHwScaling).start(10), InputError);
  const LokiWorld one = cars_of(1);
  PlanningParams slow;
  slow.communication_ms = 20;  // 100 - 2 x 20 leaves 30 for execution; 36: 14
  EXPECT_EQ(Manager(one, Allocator::kLoki, slow).start(10).modules[0].workers, 1);
  slow.communication_ms = 36;
  EXPECT_THROW(Manager(one, Allocator::kLoki, slow).start(10), InputError);
}

/// Figure 1: two tasks of two variants each; less accuracy costs less at the second.
LokiWorld figure_1() {
  return LokiWorld({{"detect", {"cars"}, {task_variant("d1", 1, {1}), task_variant("d0", 0.5, {1})}},
                    {"cars", {}, {task_variant("c1", 1), task_variant("c0", 0.9)}}},
                   {{10}, {5}, {20}, {10}}, 100, 9);
}

// A worker carries 100 and 200 (d1, d0), 50 and 100 (c1, c0): 300 need 3 + 6 workers; 450, 4.5 + 4.5 with the
// lesser classifier, of which whole workers carry 400; 600, 3 + 6 with both.
TEST(ResourceManager, ScalesHardwareFirstThenTheAccuracyThatCostsLeast) {
  const LokiWorld world = figure_1();
  EXPECT_EQ(workers_of(Manager(world).start(100)), (std::vector<int>{1, 0, 2, 0}));
  EXPECT_EQ(workers_of(Manager(world).start(300)), (std::vector<int>{3, 0, 6, 0}));
  EXPECT_EQ(workers_of(Manager(world).start(400)), (std::vector<int>{4, 0, 2, 3}));
  EXPECT_EQ(workers_of(Manager(world).start(600)), (std::vector<int>{0, 3, 0, 6}));
  EXPECT_EQ(workers_of(Manager(world).start(6000)), (std::vector<int>{0, 3, 0, 6})) << "the most there is";
}

TEST(ResourceManager, HardwareScalingKeepsTheMostAccurate) {
  const LokiWorld world = figure_1();
  EXPECT_EQ(workers_of(Manager(world, Allocator::kHwScaling).start(100)), (std::vector<int>{1, 0, 2, 0}));
  EXPECT_EQ(workers_of(Manager(world, Allocator::kHwScaling).start(600)), (std::vector<int>{3, 0, 6, 0}));
}

TEST(ResourceManager, ProteusUsesAllWorkersAndItsTasksKnowNothingOfEachOther) {
  const LokiWorld world = figure_1();
  Manager manager(world, Allocator::kProteus);
  const std::vector<int> light = workers_of(manager.start(100));
  EXPECT_EQ(light[0] + light[2], 9) << "only the most accurate";
  EXPECT_EQ(manager.metadata().share, (std::vector<double>{1, 0, 1, 0}));
  // The demand of each task is what it measures: 1500/s reach the cars, of which the detector knows nothing.
  const std::vector<int> heavy = workers_of(manager.at(1, measured({100, 0, 1500, 0})));
  EXPECT_EQ(heavy[0] + heavy[1] + heavy[2] + heavy[3], 9);
  EXPECT_GE(heavy[3], 7);
}

TEST(RaiseBatches, TakesTurnsWithinTheSlowestPath) {
  const LokiWorld world = cars_of(1, 60, 2, {{10, 12, 14, 16}, {10, 12, 14, 16}});
  AllocationProblem problem;
  problem.pipeline = world.context.pipeline;
  problem.profiles = world.context.profiles;
  problem.latency_limit_ns = ms_to_ns(30);
  problem.batches = {1, 2, 4};
  std::vector<int> batch = {1, 1};
  raise_batches(problem, {1, 1}, batch);
  EXPECT_EQ(batch, (std::vector<int>{4, 2}));  // 16 + 12; another step would be 32
  batch = {1, 1};
  raise_batches(problem, {1, 0}, batch);
  EXPECT_EQ(batch, (std::vector<int>{4, 1}));
}

}  // namespace
}  // namespace harness
