#include "systems/cocktail/pipeline_scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using Workers = std::vector<int>;

/// Models of so many ms on 30 GPUs, due after 200 ms. A worker starts in 7 s.
struct ScaledWorld {
  Pipeline pipeline;
  std::vector<Profile> profiles;
  ServingContext context;
  PipelineScalingParams params;

  explicit ScaledWorld(const std::vector<double>& latencies_ms)
      : ScaledWorld(testing::chain(latencies_ms.size()), latencies_ms) {}
  ScaledWorld(Pipeline of, const std::vector<double>& latencies_ms) : pipeline(std::move(of)) {
    for (const double latency_ms : latencies_ms)
      profiles.push_back(testing::linear_profile("m", latency_ms, 0, 1));
    link();
    context.workers = 30;
    context.slo_ns = ms_to_ns(200);
    params.headroom = 1;
  }
  void link() {
    context.pipeline = &pipeline;
    context.profiles.clear();
    for (const Profile& profile : profiles) context.profiles.push_back(&profile);
    context.activation_ns.assign(profiles.size(), 7 * kNsPerS);
  }
};

Workers workers_of(const Plan& plan) {
  Workers workers;
  for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
  return workers;
}

/// Plans for what it is told, every window.
class Told {
 public:
  explicit Told(const ScaledWorld& world)
      : planner_(make_pipeline_scaling(world.context, world.params)), window_ns_(world.params.window_ns()) {}

  /// Plans for that rate. `present` are the visits at each module; empty: it is not told.
  Workers operator()(double rps, const std::vector<std::uint64_t>& present = {}) {
    LoadStatistics load{rps, {}};
    for (const std::uint64_t visits : present) load.modules.push_back({.present = visits});
    plan_ = planner_->plan(now_, load, plan_);
    now_ += window_ns_;
    return workers_of(plan_);
  }
  Workers for_windows(int windows, double rps) {
    for (int i = 1; i < windows; ++i) (*this)(rps);
    return (*this)(rps);
  }
  /// Changes the workers of the plan in force as planner.initial_workers does.
  void start_with(const Workers& workers) {
    for (std::size_t m = 0; m < workers.size(); ++m) plan_.modules[m].workers = workers[m];
  }

 private:
  std::unique_ptr<Planner> planner_;
  TimeNs window_ns_;
  TimeNs now_ = 0;
  Plan plan_;
};

// By hand: 50 requests/s a worker of 20 ms.
TEST(PipelineScaling, AllStagesGetAsManyAsTheRateNeeds) {
  ScaledWorld world({20, 20, 20});
  EXPECT_EQ(Told(world)(120), (Workers{3, 3, 3}));
  EXPECT_EQ(Told(world)(100), (Workers{2, 2, 2}));
  EXPECT_EQ(Told(world)(0), (Workers{1, 1, 1}));
  EXPECT_EQ(Told(world)(1e6), (Workers{10, 10, 10})) << "30 GPUs";
  world.params.headroom = 1.2;
  EXPECT_EQ(Told(world)(130), (Workers{4, 4, 4})) << "156 / 50 = 3.12";
  world.context.workers = 2;
  Told too_few(world);
  EXPECT_THROW(too_few(1), InputError);
}

TEST(PipelineScaling, StagesThatAreFasterOrRarelyVisitedGetTheirShare) {
  ScaledWorld world({10, 20, 5});
  EXPECT_EQ(Told(world)(150), (Workers{2, 3, 1})) << "1.5, 3, 0.75";
  world.context.workers = 8;
  EXPECT_EQ(Told(world)(1e6), (Workers{2, 4, 1})) << "of 5 pipelines: 3, 5, 2";
  // m0 -> m1 for three in ten, m2 for the others -> m3.
  Pipeline pipeline = testing::diamond();
  ASSERT_EQ(choose_one(pipeline, "m0", {"m1", "m2"}, {3, 7}), "");
  const ScaledWorld chosen(pipeline, {20, 20, 20, 20});
  EXPECT_EQ(Told(chosen)(250), (Workers{5, 2, 4, 5})) << "5, 1.5, 3.5, 5";
}

TEST(PipelineScaling, AWorkerOfSeveralGpusCountsAsMany) {
  ScaledWorld world({20, 20});
  world.profiles[1].gpus = 3;
  EXPECT_EQ(Told(world)(1e6), (Workers{7, 7}));
}

// Batches of 5 b + 10 ms: twice the path is within 200 ms for 16 in all, 8 and 8. Within 59 ms it is not even
// for one and one, 2 x 30.
TEST(PipelineScaling, TakesTheSharedRulesBatches) {
  ScaledWorld world({20, 20});
  for (Profile& profile : world.profiles) profile = testing::linear_profile("m", 5, 10, 16);
  world.link();
  const std::unique_ptr<Planner> planner = make_pipeline_scaling(world.context, world.params);
  const Plan plan = planner->plan(0, LoadStatistics{320, {}}, {});
  EXPECT_EQ(plan.modules[0].max_batch, 8);
  EXPECT_EQ(plan.modules[1].max_batch, 8);
  EXPECT_EQ(plan.modules[1].exec_ns, ms_to_ns(50));
  EXPECT_EQ(workers_of(plan), (Workers{2, 2})) << "160/s a worker";
  world.context.slo_ns = ms_to_ns(59);
  EXPECT_EQ(make_pipeline_scaling(world.context, world.params)->plan(0, {}, {}).modules[0].max_batch, 1);
}

// By hand: 90/s in the first minute, with one window of 95, then 150, then 190: level 150, trend 55, and 1 +
// 7 / 60 periods ahead 211.4; then 0.5 x 190 + 0.5 x 205 = 197.5, 0.3 x 47.5 + 0.7 x 55 = 52.75, 256.4.
TEST(PipelineScaling, ForecastsTheRateUntilTheNextForecastsPipelinesServe) {
  for (const Forecast forecast : {Forecast::kTrend, Forecast::kLast}) {
    ScaledWorld world({20, 20, 20});
    world.params.forecast = forecast;
    world.params.reactive = false;
    Told told(world);
    const bool trend = forecast == Forecast::kTrend;
    told(90);
    told.start_with({1, 1, 1});
    EXPECT_EQ(told(95), (Workers{1, 1, 1}));
    EXPECT_EQ(told.for_windows(10, 90), (Workers{1, 1, 1}));
    EXPECT_EQ(told(90), (Workers{2, 2, 2})) << "after a minute: 95/s";
    EXPECT_EQ(told.for_windows(11, 150), (Workers{2, 2, 2}));
    EXPECT_EQ(told(150).front(), trend ? 5 : 3);
    EXPECT_EQ(told.for_windows(11, 190).front(), trend ? 5 : 3);
    EXPECT_EQ(told(190).front(), trend ? 6 : 4);
  }
}

TEST(PipelineScaling, PipelinesGoWhenNoneWasNeededForLong) {
  ScaledWorld world({20, 20, 20});
  world.params.reactive = false;
  world.params.forecast = Forecast::kLast;
  world.params.scale_in_s = 120;
  Told told(world);
  EXPECT_EQ(told(220), (Workers{5, 5, 5}));
  EXPECT_EQ(told.for_windows(12, 130), (Workers{5, 5, 5})) << "at 60 s 3 are enough";
  EXPECT_EQ(told.for_windows(11, 40), (Workers{5, 5, 5}));
  EXPECT_EQ(told(40), (Workers{3, 3, 3})) << "at 120 s: the first plan is so old; the last forecast needs 1";
  EXPECT_EQ(told.for_windows(22, 40), (Workers{3, 3, 3})) << "3 were needed until 115 s";
  EXPECT_EQ(told(40), (Workers{1, 1, 1}));
}

// By hand: at two pipelines of 50/s a stage and a path of 60 ms, 14 that wait make 200 ms, the SLO; 13 are
// within it.
TEST(PipelineScaling, QueuesThatMissTheSloGetMorePipelines) {
  ScaledWorld world({20, 20, 20});
  const auto started = [&world] {
    Told told(world);
    EXPECT_EQ(told(100), (Workers{2, 2, 2}));
    return told;
  };
  EXPECT_EQ(started()(100, {15, 2, 2}), (Workers{2, 2, 2}));
  EXPECT_EQ(started()(100, {17, 2, 2}), (Workers{3, 3, 3})) << "(100 + 15 / 5) / 50 = 2.06, and one more";
  EXPECT_EQ(started()(100, {10, 1, 10}), (Workers{3, 3, 3})) << "8 and 8: 220 ms";
  EXPECT_EQ(started()(100, {2, 502, 0}), (Workers{4, 4, 4})) << "(100 + 500 / 5) / 50";
  EXPECT_EQ(started()(0, {1002, 0, 0}), (Workers{4, 4, 4})) << "1000 / 5 / 50";
  EXPECT_EQ(started()(100, {1'000'000, 0, 0}), (Workers{10, 10, 10}));
  world.params.reactive = false;
  EXPECT_EQ(started()(100, {1'000'000, 0, 0}), (Workers{2, 2, 2}));
  // No queue: no pipeline helps against executions that take longer than the SLO.
  world.params.reactive = true;
  world.context.slo_ns = ms_to_ns(50);
  EXPECT_EQ(started()(100, {2, 2, 2}), (Workers{2, 2, 2}));
  EXPECT_EQ(started()(100, {2, 3, 2}), (Workers{3, 3, 3}));
}

// What was asked for takes 7 s to start: the look 5 s later does nothing, the one after that does.
TEST(PipelineScaling, IsNotCorrectedAgainBeforeTheLastCorrectionServes) {
  const ScaledWorld world({20, 20, 20});
  Told told(world);
  told(100);
  EXPECT_EQ(told(100, {102, 2, 2}), (Workers{3, 3, 3}));
  EXPECT_EQ(told(100, {303, 3, 3}), (Workers{3, 3, 3}));
  EXPECT_EQ(told(100, {303, 3, 3}), (Workers{4, 4, 4})) << "(100 + 300 / 5) / 50 = 3.2";
}

// A plan must hold for the windows that begin before a start-up and a window from now.
TEST(PipelineScaling, ForesightProvisionsForTheLargestWindowUntilTheNextPlanServes) {
  ScaledWorld world({20, 20, 20});
  PlanningTimes planning;
  for (int window = 0; window < 6; ++window) {
    const int requests = std::vector<int>{250, 250, 250, 1000, 500, 0}[static_cast<std::size_t>(window)];
    for (int i = 0; i < requests; ++i)
      planning.run.push_back(window * 5 * kNsPerS + i * (5 * kNsPerS / requests));
  }
  EXPECT_DOUBLE_EQ(largest_rate_rps(planning.run, 0, 15 * kNsPerS, 5 * kNsPerS), 50);
  EXPECT_DOUBLE_EQ(largest_rate_rps(planning.run, 0, 16 * kNsPerS, 5 * kNsPerS), 200);
  world.context.planning = &planning;
  world.params.forecast = Forecast::kForesight;
  world.params.scale_in_s = 0;
  Told told(world);
  EXPECT_EQ(told(7), (Workers{1, 1, 1})) << "until 12 s: windows that begin at 0, 5 and 10 s, 50/s";
  EXPECT_EQ(told(7), (Workers{4, 4, 4})) << "until 17 s: also that at 15 s, 200/s";
  EXPECT_EQ(told.for_windows(2, 7), (Workers{4, 4, 4}));
  EXPECT_EQ(told(7), (Workers{2, 2, 2})) << "from 20 s on 100/s";
  EXPECT_EQ(told(7), (Workers{1, 1, 1}));
}

/// A random world that holds at least one pipeline.
std::unique_ptr<ScaledWorld> random_world(RandomStream& random) {
  Pipeline pipeline =
      random.below(2) == 0 ? testing::chain(1 + random.below(8)) : testing::random_pipeline(random);
  const std::size_t modules = pipeline.modules.size();
  auto world = std::make_unique<ScaledWorld>(std::move(pipeline), std::vector<double>(modules, 1));
  for (Profile& profile : world->profiles) {
    const double alpha_ms = 1 + 20 * random.uniform();
    profile =
        testing::linear_profile("m", alpha_ms, 10 * random.uniform(), 1 + static_cast<int>(random.below(8)));
    profile.gpus = 1 + static_cast<int>(random.below(2));
  }
  world->link();
  world->context.workers = static_cast<int>(2 * modules + random.below(60));
  world->context.slo_ns = ms_to_ns(50 + 500 * random.uniform());
  world->params.forecast = random.below(2) == 0 ? Forecast::kTrend : Forecast::kLast;
  world->params.reactive = random.below(4) > 0;
  world->params.scale_in_s = 100 * random.uniform();
  world->params.period_s = 5 + 30 * random.uniform();
  return world;
}

TEST(PipelineScaling, OnRandomLoadsPlansFitAndAreRepeatable) {
  RandomStream random(1, "test.cocktail");
  int changes = 0;
  for (int round = 0; round < 200; ++round) {
    const std::unique_ptr<ScaledWorld> world = random_world(random);
    Told told(*world);
    Told again(*world);
    Workers before;
    for (int window = 0; window < 40; ++window) {
      // Busy, then silent.
      const double rps = window < 20 ? 300 * random.uniform() : 0;
      std::vector<std::uint64_t> present(world->profiles.size(), 0);
      for (std::uint64_t& visits : present) visits = rps > 0 ? random.below(100) : 0;
      const Workers workers = told(rps, present);
      ASSERT_EQ(workers, again(rps, present));
      int gpus = 0;
      for (std::size_t m = 0; m < workers.size(); ++m) {
        ASSERT_GE(workers[m], 1);
        gpus += workers[m] * world->profiles[m].gpus;
      }
      ASSERT_LE(gpus, world->context.workers);
      if (!before.empty() && workers != before) ++changes;
      before = workers;
    }
  }
  EXPECT_GT(changes, 500);
}

TEST(PipelineScaling, WithoutLoadNothingScalesUp) {
  RandomStream random(2, "test.cocktail");
  for (int round = 0; round < 100; ++round) {
    const std::unique_ptr<ScaledWorld> world = random_world(random);
    Told told(*world);
    Workers before = told(200 * random.uniform());
    for (int window = 0; window < 30; ++window) {
      const Workers workers = told(0, std::vector<std::uint64_t>(before.size(), 0));
      for (std::size_t m = 0; m < workers.size(); ++m) ASSERT_LE(workers[m], before[m]);
      before = workers;
    }
    EXPECT_EQ(before, told(0, std::vector<std::uint64_t>(before.size(), 0)));
    EXPECT_EQ(*std::ranges::max_element(before), 1) << "one pipeline is left";
  }
}

}  // namespace
}  // namespace harness
