#include "systems/ds2/scaling_planner.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// Models of so many ms a query on one kind of device, 100 workers.
struct ScaledWorld {
  Pipeline pipeline;
  std::vector<Profile> profiles;
  ServingContext context;
  ScalingParams params;

  ScaledWorld(Pipeline of, const std::vector<double>& latencies_ms) : pipeline(std::move(of)) {
    for (const double latency_ms : latencies_ms)
      profiles.push_back(testing::linear_profile("m", latency_ms, 0, 8));
    for (const Profile& profile : profiles) context.profiles.push_back(&profile);
    context.pipeline = &pipeline;
    context.workers = 100;
    params.margin = 0;
    params.activation = 1;
    params.halt_s = 30;
  }
};

std::vector<int> workers_of(const Plan& plan) {
  std::vector<int> workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  return workers;
}

/// Plans for what it is told, every 10 s.
class Told {
 public:
  explicit Told(const ScaledWorld& world) : planner_(make_scaling_planner(world.context, world.params)) {}

  std::vector<int> operator()(const LoadStatistics& load) {
    plan_ = planner_->plan(now_, load, plan_);
    now_ += 10 * kNsPerS;
    return workers_of(plan_);
  }
  std::vector<int> operator()(double rps) { return (*this)(LoadStatistics{rps, {}}); }
  const Plan& plan() const { return plan_; }

 private:
  std::unique_ptr<Planner> planner_;
  TimeNs now_ = 0;
  Plan plan_;
};

using Workers = std::vector<int>;

// By hand: 50 x 0.010 = 0.5 and 50 x 0.135 = 6.75 instances; with a fifth more 0.6 and 8.1.
TEST(ScalingPlanner, GivesTheInputRateOverTheTrueRateAndAMargin) {
  ScaledWorld world(testing::chain(2), {10, 135});
  Told exact(world);
  EXPECT_EQ(exact(50), (Workers{1, 7}));
  EXPECT_EQ(exact.plan().modules[1].max_batch, 1);
  EXPECT_EQ(exact.plan().modules[1].exec_ns, ms_to_ns(135));
  world.params.margin = 0.2;
  EXPECT_EQ(Told(world)(50), (Workers{1, 9}));
  EXPECT_EQ(Told(world)(100), (Workers{2, 17}));
  // 40 x 0.135 x 1.25 = 6.75; 0.01 x 200 x 1.5 is 3 and not more.
  world.params.margin = 0.25;
  EXPECT_EQ(Told(world)(40), (Workers{1, 7}));
  world.params.margin = 0.5;
  EXPECT_EQ(Told(world)(200).front(), 3);
}

TEST(ScalingPlanner, IgnoresTheWarmUpAndAfterAChangeTheHaltToo) {
  ScaledWorld world(testing::chain(1), {100});
  Told told(world);  // warm-up: two intervals, halt: three
  EXPECT_EQ(told(20), Workers{2});
  EXPECT_EQ(told(50), Workers{2});
  EXPECT_EQ(told(50), Workers{2});
  EXPECT_EQ(told(50), Workers{5});
  for (int ignored = 0; ignored < 5; ++ignored) EXPECT_EQ(told(80), Workers{5});
  EXPECT_EQ(told(80), Workers{8});
}

TEST(ScalingPlanner, ChangesForOneWorkerMoreOrTwoFewer) {
  ScaledWorld world(testing::chain(2), {100, 50});
  world.params.warm_up_s = 0;
  world.params.halt_s = 0;
  Told told(world);
  EXPECT_EQ(told(60), (Workers{6, 3}));
  EXPECT_EQ(told(50.5), (Workers{6, 3}));
  EXPECT_EQ(told(60), (Workers{6, 3}));
  EXPECT_EQ(told(50), (Workers{6, 3}));  // 5 and 3
  EXPECT_EQ(told(40), (Workers{4, 2}));  // with the first goes the second
  EXPECT_EQ(told(40.5), (Workers{5, 3}));
  world.params.least_decrease = 1;
  Told at_once(world);
  EXPECT_EQ(at_once(60), (Workers{6, 3}));
  EXPECT_EQ(at_once(50), (Workers{5, 3}));
}

// By hand: the medians of 2 4 3, then of 4 3 2, of 3 2 7, of 2 7 7; after a change three new ones are needed.
TEST(ScalingPlanner, DeploysTheMedianOfTheLastDecisions) {
  ScaledWorld world(testing::chain(1), {100});
  world.params.warm_up_s = 0;
  world.params.halt_s = 0;
  world.params.activation = 3;
  Told told(world);
  EXPECT_EQ(told(30), Workers{3});
  for (const double rps : {20, 40, 30, 20, 70}) EXPECT_EQ(told(rps), Workers{3}) << rps;
  EXPECT_EQ(told(70), Workers{7});
  for (const double rps : {90, 90}) EXPECT_EQ(told(rps), Workers{7}) << rps;
  EXPECT_EQ(told(20), Workers{9});
}

// m0 -> m1 for three in ten, m2 for the others -> m3.
TEST(ScalingPlanner, PassesTheSourcesRateOnThroughConditionalBranches) {
  Pipeline pipeline = testing::diamond();
  ASSERT_EQ(choose_one(pipeline, "m0", {"m1", "m2"}, {3, 7}), "");
  ScaledWorld world(pipeline, {100, 100, 100, 100});
  world.params.warm_up_s = 0;
  const LoadStatistics start{20, {}};
  const LoadStatistics halted{40, {40, 0, 1, 0}};
  Told by_source(world);
  EXPECT_EQ(by_source(start), (Workers{2, 1, 2, 2}));   // 2, 0.6, 1.4, 2
  EXPECT_EQ(by_source(halted), (Workers{4, 2, 3, 4}));  // 4, 1.2, 2.8, 4: what a halt keeps back counts
  world.params.input_rate = InputRate::kMeasured;
  Told by_arrivals(world);
  EXPECT_EQ(by_arrivals(start), (Workers{2, 1, 2, 2}));
  EXPECT_EQ(by_arrivals(halted), (Workers{4, 1, 1, 1}));
}

TEST(ScalingPlanner, StartsWithTheRateOfTheSample) {
  ScaledWorld world(testing::chain(1), {100});
  PlanningTimes planning;
  planning.sample_ns = 2 * kNsPerS;
  planning.sample.resize(140);
  world.context.planning = &planning;
  EXPECT_EQ(Told(world)(20), Workers{7});
  planning.sample.clear();
  Told told_nothing(world);
  EXPECT_THROW(told_nothing(20), InputError);
}

TEST(ScalingPlanner, TakesTheFastestKindAndOfEqualOnesTheCheaper) {
  ScaledWorld world(testing::chain(2), {100, 100});
  const auto on = [](const char* name, double usd_per_h, double first_ms, double second_ms) {
    ClusterDevice device{name, 10, usd_per_h, {}};
    device.profiles.emplace_back(testing::linear_profile("m0", first_ms, 0, 4));
    if (second_ms > 0) device.profiles.emplace_back(testing::linear_profile("m1", second_ms, 0, 4));
    device.profiles.resize(2);
    return device;
  };
  const std::vector<ClusterDevice> devices = {on("cpu", 0.1, 100, 900), on("k80", 0.7, 20, 300),
                                              on("old", 0.5, 20, 0)};
  world.context.devices = devices;
  Told told(world);
  EXPECT_EQ(told(10), (Workers{1, 3}));
  EXPECT_EQ(told.plan().modules[0].device, 2);
  EXPECT_EQ(told.plan().modules[1].device, 1);
  EXPECT_EQ(Told(world)(1000), (Workers{10, 10}));
}

TEST(ScalingPlanner, SharesOutAClusterThatIsTooSmall) {
  ScaledWorld world(testing::chain(3), {10, 200, 100});
  world.context.workers = 12;
  EXPECT_EQ(Told(world)(100), (Workers{1, 7, 4}));  // of 1, 20 and 10
  world.context.workers = 3;
  EXPECT_EQ(Told(world)(100), (Workers{1, 1, 1}));
  world.context.workers = 2;
  Told too_few(world);
  EXPECT_THROW(too_few(100), InputError);
}

}  // namespace
}  // namespace harness
