#include "systems/quart/quart_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/sim/test_world.h"
#include "systems/quart/quart_plan_details.h"

namespace harness {
namespace {

/// Stages of 10 ms, one GPU each, on a cluster without servers; the rate of a period is what counts.
struct PlannerWorld {
  explicit PlannerWorld(std::size_t stages, int workers = 48) : pipeline(testing::chain(stages)) {
    profiles.assign(stages, testing::linear_profile("m", 0, 10, 1));
    context.workers = workers;
    params.window_s = 0.1;
    set_slo(ms_to_ns(20) * static_cast<TimeNs>(stages));
  }
  void set_slo(TimeNs slo_ns) {
    context.slo_ns = slo_ns;
    context.streams = {{0, slo_ns, 0}};
  }
  Planner& planner() {
    if (planner_ != nullptr) return *planner_;
    context.pipeline = &pipeline;
    context.profiles.clear();
    for (const Profile& profile : profiles) context.profiles.push_back(&profile);
    context.activation_ns.assign(profiles.size(), kNsPerS);
    planner_ = make_quart_planner(context, params);
    return *planner_;
  }
  std::vector<int> start(double offered_rps) {
    plan = planner().plan(0, {offered_rps, {}}, {});
    return workers();
  }
  /// Plans the next period, with these rates and queues.
  std::vector<int> next(const std::vector<double>& rps, const std::vector<double>& present) {
    LoadStatistics load{rps[0], rps};
    for (const double count : present) load.modules.push_back({.present = static_cast<std::uint64_t>(count)});
    now += ms_to_ns(params.period_ms);
    plan = planner().plan(now, load, plan);
    return workers();
  }
  std::vector<int> workers() const {
    std::vector<int> result;
    for (const ModulePlan& module : plan.modules) result.push_back(module.workers);
    return result;
  }
  std::vector<int> keys() const {
    const auto& details = dynamic_cast<const QuartPlanDetails&>(*plan.details);
    return {details.is_key.begin(), details.is_key.end()};
  }

  Pipeline pipeline;
  std::vector<Profile> profiles;
  ServingContext context;
  QuartParams params;
  Plan plan;
  TimeNs now = 0;

 private:
  std::unique_ptr<Planner> planner_;
};

using Counts = std::vector<int>;

TEST(QuartPlanner, StartsWithWhatTheRateNeeds) {
  PlannerWorld world(3);
  // 100 visits/s a replica, at most 90 of them busy.
  EXPECT_EQ(world.start(90), (Counts{1, 1, 1}));
  PlannerWorld busier(3);
  EXPECT_EQ(busier.start(91), (Counts{2, 2, 2}));
  EXPECT_EQ(busier.plan.modules[0].budget_ns, ms_to_ns(20)) << "60 ms over three stages";
  EXPECT_EQ(busier.plan.modules[0].cores, 0);
  PlannerWorld small(3, 8);
  EXPECT_EQ(small.start(1000), (Counts{3, 3, 2})) << "8 GPUs";
  EXPECT_THROW(PlannerWorld(3, 2).start(10), InputError);
}

TEST(QuartPlanner, PlansForFullBatches) {
  // Four in 17.5 ms: 228.6 visits/s a replica.
  for (const double rate_rps : {205.0, 206.0}) {
    PlannerWorld world(1);
    world.profiles = {testing::linear_profile("m", 2.5, 7.5, 8)};
    world.params.max_batch = 4;
    EXPECT_EQ(world.start(rate_rps), Counts{rate_rps == 205 ? 1 : 2});
    EXPECT_EQ(world.plan.modules[0].max_batch, 4);
    EXPECT_EQ(world.plan.modules[0].exec_ns, ms_to_ns(17.5));
  }
}

TEST(QuartPlanner, ABurstIsCorrectedWhereItStandsAndReclaimedLater) {
  PlannerWorld world(3);
  world.params.corrector.kp = 1;
  world.params.corrector.ki = world.params.corrector.kd = 0;
  world.params.beta_half = 0;  // each stage for itself
  world.params.reclaim_after_s = 0.3;
  world.start(30);
  // Ten visits before the first stage: 100 ms, 8 execution times above the target.
  EXPECT_EQ(world.next({30, 30, 30}, {10, 0, 0}), (Counts{9, 1, 1}));
  EXPECT_EQ(world.keys(), (Counts{1, 0, 0}));
  // The queue is left while replicas start: 5 of them are needed, 9 are there, no more are added.
  EXPECT_EQ(world.next({30, 30, 30}, {10, 0, 0}), (Counts{9, 1, 1}));
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{9, 1, 1}));
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{9, 1, 1}));
  // Fewer would have done for three periods: one a period.
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{8, 1, 1}));
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{7, 1, 1}));
  EXPECT_EQ(world.keys(), (Counts{1, 0, 0})) << "for the rest of the run";
  world.next({30, 30, 30}, {12, 0, 0});
  EXPECT_EQ(world.workers()[0], 6) << "12 before 6 are two execution times: the target";
  world.next({30, 30, 30}, {12, 0, 0});
  EXPECT_EQ(world.workers()[0], 6);
}

TEST(QuartPlanner, AShortDipTakesNothingAfterReclaiming) {
  PlannerWorld world(1);
  world.params.corrector.corrector = CorrectorMethod::kExact;
  world.params.reclaim_after_s = 0.2;
  world.start(30);
  world.plan.modules[0].workers = 6;
  // Four are wanted (8 visits in two times), then one for two periods, then four again.
  for (const int left : {6, 6, 5, 4}) EXPECT_EQ(world.next({30}, {8}), Counts{left});
  for (int period = 0; period < 2; ++period) EXPECT_EQ(world.next({30}, {0}), Counts{4});
  EXPECT_EQ(world.next({30}, {8}), Counts{4});
  for (const int left : {4, 4, 3, 2, 1, 1}) EXPECT_EQ(world.next({30}, {0}), Counts{left});
}

TEST(QuartPlanner, SmoothingReachesTheNeighboursOfABurst) {
  PlannerWorld world(3);
  world.params.corrector.kp = 1;
  world.params.corrector.ki = world.params.corrector.kd = 0;
  world.params.cv = CvMethod::kMeasured;  // not known, so 1: beta is 1/2
  world.start(30);
  // Demands 9, 1, 1, smoothed by Eq. 7: 5, 3, 1.
  EXPECT_EQ(world.next({30, 30, 30}, {10, 0, 0}), (Counts{5, 3, 1}));
  EXPECT_EQ(world.keys(), (Counts{1, 0, 0})) << "the Smoother makes none";
}

TEST(QuartPlanner, GpusThatLackGoToThoseWhoHaveLeastOfWhatTheyWant) {
  PlannerWorld world(3, 10);
  world.params.corrector.kp = 1;
  world.params.corrector.ki = world.params.corrector.kd = 0;
  world.params.beta_half = 0;
  world.params.qps = Qps::kStage;
  world.start(30);
  // 9, 5 and 10 (the cluster) are wanted: in turn the least of next / wanted.
  EXPECT_EQ(world.next({30, 30, 30}, {10, 6, 20}), (Counts{4, 2, 4}));
  // What the rate needs comes first.
  PlannerWorld loaded(3, 10);
  loaded.params = world.params;
  loaded.start(30);
  EXPECT_EQ(loaded.next({200, 30, 30}, {0, 6, 20}), (Counts{3, 3, 4}));
}

TEST(QuartPlanner, WhereOthersLackGpusAsManyAsTheyLackAreReclaimed) {
  PlannerWorld world(2, 8);
  world.params.corrector.corrector = CorrectorMethod::kExact;
  world.params.beta_half = 0;
  world.params.reclaim_after_s = 0.2;
  world.start(30);
  EXPECT_EQ(world.next({30, 30}, {14, 0}), (Counts{7, 1})) << "14 visits in two times";
  EXPECT_EQ(world.next({30, 30}, {0, 8}), (Counts{7, 1})) << "not before its time";
  EXPECT_EQ(world.next({30, 30}, {0, 8}), (Counts{7, 1}));
  EXPECT_EQ(world.next({30, 30}, {0, 8}), (Counts{4, 4})) << "three more are wanted";
  EXPECT_EQ(world.next({30, 30}, {0, 8}), (Counts{3, 4})) << "nobody lacks any: one by one";
}

TEST(QuartPlanner, TheRateAtTheEntryCountsForEveryStage) {
  PlannerWorld world(2);
  world.params.beta_half = 0;
  world.params.corrector.corrector = CorrectorMethod::kRateOnly;
  world.start(30);
  // The first stage lets few pass: 300 visits/s will come to the second in the end.
  EXPECT_EQ(world.next({300, 90}, {0, 0})[1], 4);
  PlannerWorld own(2);
  own.params = world.params;
  own.params.qps = Qps::kStage;
  own.start(30);
  EXPECT_EQ(own.next({300, 90}, {0, 0})[1], 2);
}

TEST(QuartPlanner, TakesTheReplicasThatThePlanInForceHas) {
  PlannerWorld world(2);
  world.params.smoother = false;
  EXPECT_EQ(world.start(270), (Counts{3, 3}));
  for (ModulePlan& module : world.plan.modules) module.workers = 1;
  EXPECT_EQ(world.next({20, 20}, {0, 0}), (Counts{1, 1}));
  world.plan.modules[1].workers = 7;
  EXPECT_EQ(world.next({20, 20}, {0, 0}), (Counts{1, 7})) << "without the Smoother nothing is reclaimed";
}

TEST(QuartPlanner, WholePipelinesAreScaledToTheLargestNumber) {
  PlannerWorld world(3);
  world.params.unit = ScaledUnit::kPipeline;
  world.params.corrector.corrector = CorrectorMethod::kExact;
  world.params.reclaim_after_s = 0.1;
  world.start(30);
  EXPECT_EQ(world.next({30, 30, 30}, {0, 10, 0}), (Counts{5, 5, 5})) << "ten visits in two times";
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{5, 5, 5}));
  EXPECT_EQ(world.next({30, 30, 30}, {0, 0, 0}), (Counts{4, 4, 4}));
  PlannerWorld small(3, 11);
  small.params = world.params;
  small.start(30);
  EXPECT_EQ(small.next({30, 30, 30}, {0, 10, 0}), (Counts{3, 3, 3})) << "no room for a fourth";
}

TEST(QuartPlanner, AKeyStageIsOneForItsTime) {
  PlannerWorld world(2);
  world.params.corrector.key_s = 0.25;
  world.start(30);
  world.next({30, 30}, {0, 10});
  EXPECT_EQ(world.keys(), (Counts{0, 1}));
  const auto* const details = world.plan.details.get();
  world.next({30, 30}, {0, 0});
  EXPECT_EQ(world.plan.details.get(), details) << "nothing has changed";
  world.next({30, 30}, {0, 0});
  EXPECT_EQ(world.keys(), (Counts{0, 1}));
  world.next({30, 30}, {0, 0});
  EXPECT_EQ(world.keys(), (Counts{0, 0}));
}

TEST(QuartPlanner, WhatTheRateAloneNeedsMakesNoKeyStage) {
  PlannerWorld world(2);
  world.params.beta_half = 0;
  world.start(30);
  // 680 visits/s keep eight replicas busy for 85 % of the time, and the delay is below two executions.
  EXPECT_EQ(world.next({680, 680}, {0, 0}), (Counts{8, 8}));
  EXPECT_EQ(world.keys(), (Counts{0, 0}));
  world.next({680, 680}, {0, 40});
  EXPECT_EQ(world.keys(), (Counts{0, 1})) << "a queue does";
}

TEST(QuartPlanner, OfLargeInstancesNoMoreAreWantedThanServersHold) {
  PlannerWorld world(1);
  world.profiles[0].gpus = 3;
  world.context.servers = {4, 0, 0, 0};
  EXPECT_EQ(world.start(1e4), Counts{12}) << "one for each server of four, though 16 times three are 48";
  EXPECT_EQ(world.next({1e4}, {1000}), Counts{12});
}

TEST(QuartPlanner, ForesightAddsBeforeTheArrivals) {
  PlannerWorld world(2);
  world.params.corrector.corrector = CorrectorMethod::kForesight;
  PlanningTimes times;
  for (int i = 0; i < 40; ++i) times.run.push_back(s_to_ns(2) + i * ms_to_ns(2.5));
  world.context.planning = &times;
  world.start(30);
  // A replica starts in a second: at 0.8 s the planner looks at the arrivals up to 1.9 s, then at the ones of
  // 2 s.
  for (int period = 1; period <= 8; ++period) EXPECT_EQ(world.next({0, 0}, {0, 0}), (Counts{1, 1}));
  // 400/s: with 5 replicas the delay is 1.55 x 10 ms.
  EXPECT_EQ(world.next({0, 0}, {0, 0}), (Counts{5, 5}));
  EXPECT_EQ(world.next({0, 0}, {0, 0}), (Counts{5, 5}));
}

/// 100 ms with 2 cores, 66 of them the CPU's; at 5 visits/s one replica has 200 ms, two 107 ms.
PlannerWorld world_with_cores(double target_ms) {
  PlannerWorld world(2);
  world.profiles[0] = testing::linear_profile("m", 0, 100, 1);
  world.profiles[0].cpu_ns = ms_to_ns(132);
  world.profiles[0].cores = 2;
  world.set_slo(ms_to_ns(target_ms * 1.1));
  world.context.servers = {4, 108, 0, 0};
  world.params.beta_half = 1e12;  // all as the neighbour, which needs one
  world.params.reclaim_after_s = 0.2;
  world.params.corrector.least_target = 1.01;
  return world;
}

TEST(QuartPlanner, AReducedStageGetsCores) {
  PlannerWorld world = world_with_cores(150);
  world.start(5);
  world.plan.modules[0].workers = 3;
  std::vector<Counts> seen;
  for (int period = 0; period < 8; ++period)
    seen.push_back({world.next({5, 5}, {0, 0})[0], world.plan.modules[0].cores});
  // Two replicas meet 150 ms, one does with 3 cores (78 ms, so 128).
  EXPECT_EQ(seen, (std::vector<Counts>{{3, 0}, {3, 0}, {2, 0}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}}));
  EXPECT_EQ(world.plan.modules[1].cores, 0);
  world.next({3, 3}, {0, 0});
  EXPECT_EQ(world.plan.modules[0].cores, 0) << "at 3 visits/s 2 cores are enough";
}

TEST(QuartPlanner, AboveCpuMaxTheReplicaStays) {
  PlannerWorld world = world_with_cores(110);
  world.params.cores_max = 3;
  world.start(5);
  world.plan.modules[0].workers = 3;
  for (int period = 0; period < 20; ++period) world.next({5, 5}, {0, 0});
  EXPECT_EQ(world.workers()[0], 2);
  EXPECT_EQ(world.plan.modules[0].cores, 0);
}

TEST(QuartPlanner, CoresThatCannotBePlannedAreRefusedInOneLine) {
  const auto why_not = [](PlannerWorld world) -> std::string {
    try {
      world.planner();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why_not(world_with_cores(150)), "");
  PlannerWorld endless = world_with_cores(150);
  endless.params.cores = Cores::kOn;
  endless.context.servers = {};
  EXPECT_NE(why_not(std::move(endless)).find("on without a limit"), std::string::npos);
  PlannerWorld much = world_with_cores(150);
  much.params.cores_max = 28;
  EXPECT_NE(why_not(std::move(much)).find("at most the 27"), std::string::npos);
  PlannerWorld few = world_with_cores(150);
  few.context.servers.cores = 7;  // one for each GPU, the profile takes two
  few.start(5);
  few.plan.modules[0].workers = 3;
  for (int period = 0; period < 20; ++period) few.next({5, 5}, {0, 0});
  EXPECT_EQ(few.plan.modules[0].cores, 0);
}

/// A random world and a random load; the same for equal seeds.
PlannerWorld random_world(RandomStream& random) {
  PlannerWorld world(1 + random.below(8), 0);
  int gpus = 0;
  for (Profile& profile : world.profiles) {
    profile = testing::linear_profile("m", 0, 2 + 40 * random.uniform(), 1);
    profile.gpus = 1 + static_cast<int>(random.below(3));
    profile.cpu_ns = profile.latency(1);
    profile.cores = 2;
    gpus += profile.gpus;
  }
  world.context.workers = gpus + static_cast<int>(random.below(60));
  world.context.servers = {4, 64, 0, 0};
  world.set_slo(ms_to_ns(50 + 500 * random.uniform()));
  world.params.corrector.corrector = static_cast<CorrectorMethod>(random.below(4));
  world.params.corrector.delay = static_cast<DelayMethod>(random.below(3));
  world.params.smoother = random.below(4) > 0;
  world.params.cv = static_cast<CvMethod>(random.below(3));
  world.params.unit = static_cast<ScaledUnit>(random.below(4) == 0);
  world.params.reclaim_after_s = random.uniform();
  world.params.reclaim_step = 1 + static_cast<int>(random.below(4));
  return world;
}

TEST(QuartPlanner, NeverBelowWhatTheRateNeedsNorAboveTheCluster) {
  RandomStream random(7, "quart_planner_test");
  int lacked = 0;
  for (int i = 0; i < 300; ++i) {
    PlannerWorld world = random_world(random);
    const std::size_t stages = world.profiles.size();
    world.start(200 * random.uniform());
    for (int period = 0; period < 40; ++period) {
      const double rate = random.below(3) == 0 ? 0 : 150 * random.uniform();
      std::vector<double> present(stages);
      for (double& count : present) count = random.below(3) == 0 ? 100 * random.uniform() : 0;
      // Rates count by the times with the cores that the stage had.
      std::vector<int> needs;
      for (std::size_t m = 0; m < stages; ++m) {
        const int cores = std::max(2, world.plan.modules[m].cores);
        const double exec_s = ns_to_s(latency_with_cores(world.profiles[m], 1, cores));
        needs.push_back(std::max(1, static_cast<int>(std::ceil(rate * exec_s / 0.9 - 1e-9))));
      }
      const std::vector<int> workers = world.next(std::vector<double>(stages, rate), present);
      int gpus = 0;
      int largest = 0;
      for (std::size_t m = 0; m < stages; ++m) {
        ASSERT_GE(workers[m], 1);
        ASSERT_GE(world.plan.modules[m].cores, 0);
        ASSERT_LE(world.plan.modules[m].cores, 16 * world.profiles[m].gpus);
        gpus += workers[m] * world.profiles[m].gpus;
        largest = std::max(largest, world.profiles[m].gpus);
      }
      ASSERT_LE(gpus, world.context.workers) << i;
      if (world.params.unit == ScaledUnit::kPipeline) continue;
      for (std::size_t m = 0; m < stages; ++m) {
        const int fit = world.context.servers.instances(world.context.workers, world.profiles[m].gpus);
        if (workers[m] >= needs[m] || workers[m] >= fit) continue;
        ++lacked;
        ASSERT_LT(world.context.workers - gpus, world.profiles[m].gpus) << "there was room, case " << i;
      }
    }
  }
  EXPECT_GT(lacked, 0) << "some clusters are too small";
}

TEST(QuartPlanner, WithoutLoadNothingScalesUpAndAllIsReclaimed) {
  RandomStream random(8, "quart_planner_test");
  for (int i = 0; i < 100; ++i) {
    PlannerWorld world = random_world(random);
    world.params.corrector.corrector = static_cast<CorrectorMethod>(random.below(3));
    const std::vector<double> none(world.profiles.size(), 0);
    std::vector<int> before = world.start(200 * random.uniform());
    for (int period = 0; period < 100; ++period) {
      const std::vector<int> after = world.next(none, none);
      for (std::size_t m = 0; m < after.size(); ++m) ASSERT_LE(after[m], before[m]) << i;
      before = after;
    }
    EXPECT_TRUE(!world.params.smoother || *std::max_element(before.begin(), before.end()) == 1) << i;
  }
}

TEST(QuartPlanner, EqualInputsEqualPlans) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "quart_planner_test");
    RandomStream again(seed, "quart_planner_test");
    PlannerWorld one = random_world(random);
    PlannerWorld other = random_world(again);
    one.start(50);
    other.start(50);
    for (int period = 0; period < 30; ++period) {
      const std::vector<double> rps(one.profiles.size(), 100 * random.uniform());
      const std::vector<double> present(one.profiles.size(), 50 * random.uniform());
      one.next(rps, present);
      other.next(rps, present);
      ASSERT_EQ(one.plan, other.plan);
    }
  }
}

}  // namespace
}  // namespace harness
