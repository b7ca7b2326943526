#include "systems/infless/instance_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// Functions of so many ms a request alone, 100 GPUs.
struct FunctionWorld {
  Pipeline pipeline;
  std::vector<Profile> profiles;
  ServingContext context;
  InflessParams params;

  FunctionWorld(Pipeline of, const std::vector<double>& latencies_ms, double slo_ms, int max_batch = 1)
      : pipeline(std::move(of)) {
    for (const double latency_ms : latencies_ms)
      profiles.push_back(testing::linear_profile("m", 0, latency_ms, max_batch));
    for (const Profile& profile : profiles) context.profiles.push_back(&profile);
    context.pipeline = &pipeline;
    context.slo_ns = ms_to_ns(slo_ms);
    context.streams = {{0, context.slo_ns, 0}};
    context.workers = 100;
    context.activation_ns.assign(profiles.size(), 0);
    params.keep_alive = KeepAlive::kFixed;
    params.keep_alive_s = 0;
  }
};

using Workers = std::vector<int>;

Workers workers_of(const Plan& plan) {
  Workers workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  return workers;
}

/// Plans for the rates that it is told, every second.
class Told {
 public:
  explicit Told(const FunctionWorld& world) : planner_(make_instance_planner(world.context, world.params)) {}

  Workers operator()(const LoadStatistics& load) {
    plan_ = planner_->plan(now_, load, plan_);
    now_ += kNsPerS;
    return workers_of(plan_);
  }
  Workers operator()(double rps) { return (*this)(LoadStatistics{rps, {}}); }
  Plan& plan() { return plan_; }

 private:
  std::unique_ptr<Planner> planner_;
  TimeNs now_ = 0;
  Plan plan_;
};

// 137 ms: 7 a second. 40 / 7 = 5.7. Six are well used from 34.8 on; 34.7 need five; 14 two.
TEST(InstancePlanner, GivesAFunctionTheInstancesThatItsRateNeeds) {
  FunctionWorld world(testing::chain(1), {137}, 274);
  Told told(world);
  EXPECT_EQ(told(40), Workers{6});
  EXPECT_EQ(told(34.8), Workers{6});
  EXPECT_EQ(told(34.7), Workers{5});
  EXPECT_EQ(told(14), Workers{2});
  EXPECT_EQ(told(0), Workers{1});
  EXPECT_EQ(told(0), Workers{1});
  EXPECT_EQ(told(7.01), Workers{2});
  EXPECT_EQ(told.plan().modules[0].exec_ns, ms_to_ns(137));
  EXPECT_EQ(told.plan().modules[0].budget_ns, ms_to_ns(274));
  EXPECT_EQ(told.plan().modules[0].max_batch, 1);
  EXPECT_EQ(told.plan().modules[0].cores, 0);
}

// 100, 50 and 50 ms of an SLO of 400: 200, 100, 100. Of three in ten requests the second sees one.
TEST(InstancePlanner, SharesTheSloByExecutionTimeAndTakesTheRatesOfModules) {
  Pipeline pipeline = testing::diamond();
  ASSERT_EQ(choose_one(pipeline, "m0", {"m1", "m2"}, {3, 7}), "");
  FunctionWorld world(pipeline, {100, 50, 40, 50}, 400);
  Told told(world);
  EXPECT_EQ(told(40), (Workers{4, 1, 2, 2}));  // 40 / 10, 12 / 20, 28 / 25, 40 / 20
  EXPECT_EQ(told.plan().modules[0].budget_ns, ms_to_ns(200));
  EXPECT_EQ(told.plan().modules[1].budget_ns, ms_to_ns(100));
  EXPECT_EQ(told.plan().modules[2].budget_ns, ms_to_ns(80));
  EXPECT_EQ(told({40, {40, 61, 1, 20}}), (Workers{4, 4, 1, 1}));
}

TEST(InstancePlanner, GivesEachStreamItsSlo) {
  FunctionWorld world(testing::chain(2), {100, 50}, 300);
  world.pipeline.modules[0].subs.clear();
  world.pipeline.modules[1].pres.clear();
  world.context.streams = {{0, ms_to_ns(300), 0}, {1, ms_to_ns(90), 0}, {1, ms_to_ns(80), 0}};
  Told told(world);
  EXPECT_EQ(told({30, {10, 20}}), (Workers{1, 1}));
  EXPECT_EQ(told.plan().modules[0].budget_ns, ms_to_ns(300));
  EXPECT_EQ(told.plan().modules[1].budget_ns, ms_to_ns(80));
}

// 10 ms a request, SLO 200 ms: 8 in 80 ms: r_up 100, r_low 66; 4 in 40 ms: 100 and 25; 2 in 20: 100 and 11.
TEST(InstancePlanner, ChoosesTheBatchByTheRate) {
  FunctionWorld world(testing::chain(1), {10}, 200, 8);
  Told told(world);
  const auto batch = [&](double rps) {
    told(rps);
    return told.plan().modules[0].max_batch;
  };
  EXPECT_EQ(batch(5), 1);
  EXPECT_EQ(batch(12), 2);
  EXPECT_EQ(batch(30), 4);
  EXPECT_EQ(batch(99), 8);
  EXPECT_EQ(batch(95), 8);
  EXPECT_EQ(batch(80), 8) << "one alone is never too many";
}

// 40 + 20 b ms, SLO 400 ms: 8 in 200 ms: r_up and r_low 40; 4 in 120: 33 and 14; 2 in 80: 25 and 6. Below 40
// batches of four are called for. One instance is enough for 35/s with batches of eight, not of four.
TEST(InstancePlanner, ChangesTheBatchWhereTheInstancesThatAreThereSuffice) {
  FunctionWorld world(testing::chain(1), {20}, 400, 8);
  world.profiles[0] = testing::linear_profile("m", 20, 40, 8);
  Told told(world);
  EXPECT_EQ(told(40), Workers{1});
  EXPECT_EQ(told.plan().modules[0].max_batch, 8);
  told(35);
  EXPECT_EQ(told.plan().modules[0].max_batch, 8);
  told(32);
  EXPECT_EQ(told.plan().modules[0].max_batch, 4);
  EXPECT_EQ(told(41), Workers{2});
  EXPECT_EQ(told.plan().modules[0].max_batch, 8) << "more suits more";
}

// Of three instances of 10/s each two are not needed at 5/s.
TEST(InstancePlanner, KeepsIdleInstancesForAFixedTime) {
  FunctionWorld world(testing::chain(1), {100}, 1000);
  world.params.keep_alive_s = 3;
  Told told(world);
  EXPECT_EQ(told(30), Workers{3});
  EXPECT_EQ(told(5), Workers{3});
  EXPECT_EQ(told(5), Workers{3});
  EXPECT_EQ(told(15), Workers{3});  // one is needed again
  EXPECT_EQ(told(5), Workers{2});   // the third has been idle for three seconds, the second for none
  EXPECT_EQ(told(5), Workers{2});
  EXPECT_EQ(told(5), Workers{2});
  EXPECT_EQ(told(5), Workers{1});
}

// It takes 5 s to start: what is needed at 1 s and not at 2 s can serve at 6 s, and is idle for 3 s then.
TEST(InstancePlanner, AnInstanceThatStartsIsNotIdle) {
  FunctionWorld world(testing::chain(1), {100}, 1000);
  world.context.activation_ns = {5 * kNsPerS};
  world.params.keep_alive_s = 3;
  Told told(world);
  EXPECT_EQ(told(10), Workers{1});
  EXPECT_EQ(told(15), Workers{2});
  for (int at_s = 2; at_s < 9; ++at_s) EXPECT_EQ(told(5), Workers{2}) << at_s;
  EXPECT_EQ(told(5), Workers{1});
}

// Until an idle time has ended keep_alive_s counts: 300 s. Then 2 s; they last until then.
TEST(InstancePlanner, KeepsThemByTheHistogramOfIdleTimes) {
  FunctionWorld world(testing::chain(1), {100}, 1000);
  world.params.keep_alive = KeepAlive::kHistogram;
  world.params.keep_alive_s = 300;
  Told told(world);
  EXPECT_EQ(told(30), Workers{3});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(told(5), Workers{3});
  EXPECT_EQ(told(15), Workers{2}) << "the second was idle for 10 s, the third has been as long";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(told(5), Workers{2}) << i;
  EXPECT_EQ(told(5), Workers{1});
}

// Of OPT's 278 ms, 3 a second, an instance has three GPUs: one on each server of four.
TEST(InstancePlanner, AnInstanceTakesSeveralGpusOfOneServer) {
  FunctionWorld world(testing::chain(1), {278}, 556);
  world.profiles[0].gpus = 3;
  world.context.workers = 12;
  EXPECT_EQ(Told(world)(100), Workers{4});
  world.context.servers = {4, 108, 0, 0};
  EXPECT_EQ(Told(world)(100), Workers{3});
  EXPECT_EQ(Told(world)(5), Workers{2});
}

// 108 cores for 4 GPUs: 27 for one, 81 for three.
TEST(InstancePlanner, GivesCoresAsTheirRuleSays) {
  FunctionWorld world(testing::chain(1), {137}, 274);
  world.profiles[0].cpu_ns = ms_to_ns(180.84);
  world.profiles[0].cores = 2;
  world.context.servers = {4, 108, 0, 0};
  Told two(world);
  EXPECT_EQ(two(14), Workers{2});
  EXPECT_EQ(two.plan().modules[0].cores, 2);
  world.params.cores = CoreRule::kServer;
  Told many(world);
  EXPECT_EQ(many(14), Workers{1});
  EXPECT_EQ(many.plan().modules[0].cores, 26);
  EXPECT_LT(many.plan().modules[0].exec_ns, ms_to_ns(54));
  world.profiles[0].gpus = 3;
  Told three(world);
  three(14);
  EXPECT_EQ(three.plan().modules[0].cores, 80);
}

TEST(InstancePlanner, SharesOutAClusterThatIsTooSmall) {
  FunctionWorld world(testing::chain(3), {10, 200, 100}, 1000);
  world.context.workers = 12;
  Told told(world);
  EXPECT_EQ(told(100), (Workers{1, 7, 4}));  // of 1, 20 and 10
  EXPECT_EQ(told(100), (Workers{1, 7, 4}));
  EXPECT_EQ(told({100, {100, 100, 10}}), (Workers{1, 10, 1})) << "what one gives up another takes";
  world.context.workers = 2;
  Told too_few(world);
  EXPECT_THROW(too_few(100), InputError);
}

// Idle ones give way: with 6 GPUs the second function gets those that the first would keep warm.
TEST(InstancePlanner, IdleInstancesGiveWay) {
  FunctionWorld world(testing::chain(2), {100, 100}, 1000);
  world.context.workers = 6;
  world.params.keep_alive_s = 300;
  Told told(world);
  EXPECT_EQ(told({0, {40, 10}}), (Workers{4, 1}));
  EXPECT_EQ(told({0, {10, 10}}), (Workers{4, 1}));
  EXPECT_EQ(told({0, {10, 40}}), (Workers{2, 4}));
  EXPECT_EQ(told({0, {10, 40}}), (Workers{2, 4}));
}

TEST(InstancePlanner, GoesOnFromAFirstPlanThatWasCut) {
  FunctionWorld world(testing::chain(1), {100}, 1000);
  world.params.keep_alive_s = 300;
  Told told(world);
  EXPECT_EQ(told(100), Workers{10});
  told.plan().modules[0].workers = 1;
  EXPECT_EQ(told(40), Workers{4}) << "no more: those that were cut were never there";
  EXPECT_EQ(told(10), Workers{4});
}

TEST(InstancePlanner, RefusesAnSloThatNoRequestCanMeet) {
  FunctionWorld world(testing::chain(1), {100}, 99);
  EXPECT_THROW(make_instance_planner(world.context, world.params), InputError);
  world.context.slo_ns = world.context.streams[0].slo_ns = ms_to_ns(100);
  EXPECT_EQ(Told(world)(10), Workers{1});
}

/// GPUs of a plan.
int gpus_of(const FunctionWorld& world, const Plan& plan) {
  int gpus = 0;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) gpus += plan.modules[m].workers * world.profiles[m].gpus;
  return gpus;
}

TEST(InstancePlanner, OverRandomLoadsFitsTheClusterAndDependsOnNothingElse) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, "test.infless.planner");
    const std::size_t modules = 1 + random.below(5);
    std::vector<double> latencies_ms;
    for (std::size_t m = 0; m < modules; ++m) latencies_ms.push_back(1 + 300 * random.uniform());
    FunctionWorld world(testing::chain(modules), latencies_ms, 3000, 1 + static_cast<int>(random.below(16)));
    for (Profile& profile : world.profiles) profile.gpus = 1 + static_cast<int>(random.below(3));
    world.context.workers = 4 * static_cast<int>(4 + random.below(10));
    if (random.below(2) == 0) world.context.servers = {4, 8, 0, 0};
    world.params.keep_alive = static_cast<KeepAlive>(random.below(2));
    world.params.keep_alive_s = 30 * random.uniform();
    Told told(world);
    Told same(world);
    Workers before;
    for (int second = 0; second < 60; ++second) {
      const double scale = random.below(3) == 0 ? 0 : 200 * random.uniform();
      LoadStatistics load;
      for (std::size_t m = 0; m < modules; ++m) load.module_rps.push_back(scale * random.uniform());
      const Workers workers = told(load);
      ASSERT_EQ(workers, same(load));
      ASSERT_EQ(told.plan(), same.plan());
      ASSERT_LE(gpus_of(world, told.plan()), world.context.workers);
      for (std::size_t m = 0; m < modules; ++m) {
        ASSERT_GE(workers[m], 1);
        if (!before.empty() && scale == 0) {
          ASSERT_LE(workers[m], before[m]);
        }
      }
      before = workers;
    }
  }
}

}  // namespace
}  // namespace harness
