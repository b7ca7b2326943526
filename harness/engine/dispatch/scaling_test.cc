// Autoscaling: when workers come and go, and what happens to the queue of one that goes.
#include <gtest/gtest.h>

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/test_system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// One module, 10 ms a request (100 requests/s a worker), evenly spaced arrivals: `low_rps`, from 10 s on
/// `high_rps`.
RunSpec step_spec(double first_rps, double second_rps, double duration_s) {
  std::vector<TimeNs> times;
  for (double at = 0; at < duration_s - 1e-6; at += 1.0 / (at < 10 ? first_rps : second_rps))
    times.push_back(s_to_ns(at));
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 10, 1)},
                                    {{1, 0}}, s_to_ns(1), times, s_to_ns(duration_s));
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
  spec.workers = 8;
  spec.planner.workers = WorkerRule::kRate;
  spec.planner.autoscale = true;
  spec.planner.period_s = 2;
  spec.planner.scale_down_s = 0;
  spec.world.cold_start_ms = 500;
  return spec;
}

std::vector<std::pair<double, std::uint32_t>> worker_steps(const RunRecord& record) {
  std::vector<std::pair<double, std::uint32_t>> steps;
  for (const PlanRow& row : record.plans) steps.emplace_back(ns_to_s(row.at_ns), row.workers);
  return steps;
}

TEST(Scaling, WorkersComeOnePeriodAndOneColdStartAfterTheLoad) {
  // 90/s needs one worker; 270/s from 10 s needs three. The plan at 12 s sees the new rate.
  RunSpec spec = step_spec(90, 270, 16);
  // The first plan provisions for the mean over the run, 157.5/s: two workers; the plan at 2 s takes one
  // away.
  const RunRecord record = simulate(spec, nullptr);
  const auto steps = worker_steps(record);
  ASSERT_GE(steps.size(), 4u);
  EXPECT_EQ(steps[0], std::make_pair(0.0, 2u));
  EXPECT_NEAR(steps[1].first, 2.0, 0.011) << "a busy worker goes when its batch is done";
  EXPECT_EQ(steps[1].second, 1u);
  EXPECT_DOUBLE_EQ(steps[2].first, 12.5);
  EXPECT_DOUBLE_EQ(steps[3].first, 12.5);
  EXPECT_EQ(steps[3].second, 3u);
  EXPECT_LE(record.in_time, fluid_bound(spec, record));
}

TEST(Scaling, PlanningTakesVirtualTime) {
  RunSpec spec = step_spec(90, 270, 16);
  spec.planner.plan_time_ms = 250;
  const auto steps = worker_steps(simulate(spec, nullptr));
  EXPECT_DOUBLE_EQ(steps[3].first, 12.75);
}

TEST(Scaling, WorkersGoOnlyWhenTheNeedWasLowerForLong) {
  RunSpec spec = step_spec(90, 270, 9);
  spec.planner.headroom = 2;  // 90/s with headroom needs two; the mean over the run is the same
  spec.planner.scale_down_s = 0;
  const std::size_t rows = simulate(spec, nullptr).plans.size();
  EXPECT_EQ(rows, 1u) << "nothing to change";
  // 250/s, then 40/s from 10 s on: the need falls, but workers stay for scale_down_s.
  spec = step_spec(250, 40, 40);
  spec.planner.scale_down_s = 12;
  const auto steps = worker_steps(simulate(spec, nullptr));
  // At 2 s: three are needed (the start provisioned for the mean, 92.5/s: one). From 12 s on one is enough.
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_DOUBLE_EQ(steps[1].first, 2.5);
  EXPECT_EQ(steps[2].second, 3u);
  EXPECT_NEAR(steps[3].first, 24, 2.02)
      << "twelve seconds after the last plan that needed three, at 10 s or 12 s";
  EXPECT_EQ(steps[4].second, 1u);
}

TEST(Scaling, TheFirstPlanCountsForTheDelayOfTakingAway) {
  // The start provisions for the mean, 157.5/s: two workers; 90/s needs one. Without a delay one goes at 2 s.
  RunSpec spec = step_spec(90, 270, 16);
  spec.planner.scale_down_s = 9;
  const auto steps = worker_steps(simulate(spec, nullptr));
  EXPECT_GE(steps[1].first, 9.0);
}

TEST(Scaling, PlansThatTakeLongerThanThePeriodComeInOrder) {
  RunSpec spec = step_spec(90, 270, 30);
  spec.planner.plan_time_ms = 5000;
  const auto steps = worker_steps(simulate(spec, nullptr));
  // The plan computed at 12 s is the first that sees the higher rate; it takes effect at 17 s, workers serve
  // at 17.5 s.
  double risen_s = 0;
  for (std::size_t i = 1; i < steps.size() && risen_s == 0; ++i) {
    if (steps[i].second > steps[i - 1].second) risen_s = steps[i].first;
  }
  EXPECT_DOUBLE_EQ(risen_s, 17.5);
}

TEST(Scaling, TheQueueOfAWorkerThatGoesIsHandedOver) {
  // Overload fills the queues; then the load falls and workers are taken away with their queues full.
  RunSpec spec = step_spec(390, 50, 20);
  spec.planner.headroom = 0.5;  // half of what is needed: queues build up
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.dropped, 0u);
  EXPECT_EQ(record.modules[0].done, record.sent)
      << "every visit arrived once and ran once, wherever it was moved";
  EXPECT_EQ(rows.visit_rows.size(), record.sent);
  bool removed = false;
  for (const WorkerTotals& worker : record.workers) removed = removed || worker.removed_ns != kNever;
  EXPECT_TRUE(removed);
}

TEST(Scaling, NeverUsesMoreWorkersThanTheClusterHas) {
  RunSpec spec = step_spec(90, 2000, 20);
  const RunRecord record = simulate(spec, nullptr);
  std::uint32_t most = 0;
  for (const PlanRow& row : record.plans) most = std::max(most, row.workers);
  EXPECT_EQ(most, 8u);
}

/// One worker; keeps how many requests it is told are in the system.
class WatchingPlanner final : public Planner {
 public:
  explicit WatchingPlanner(std::vector<std::uint32_t>& told) : told_(told) {}
  Plan plan(TimeNs, const LoadStatistics& load, const Plan& current) override {
    if (current.modules.empty()) return {{{1, 1, 700 * kNsPerMs}}, {}};
    told_.push_back(load.in_system);
    return current;
  }

 private:
  std::vector<std::uint32_t>& told_;
};

class WatchingSystem final : public System {
 public:
  explicit WatchingSystem(std::vector<std::uint32_t>& told) : told_(told) {}
  void list(ParamList&) override {}
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS; }
  std::unique_ptr<Planner> make_planner(const ServingContext&) const override {
    return std::make_unique<WatchingPlanner>(told_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  std::vector<std::uint32_t>& told_;
  testing::ScriptedSystem fifo_{{}};
};

// One of the requests sent at 0 to 0.3 s ends every 700 ms; another is sent at 2.95 s.
TEST(Scaling, PlannersAreToldOfTheRequestsInTheSystem) {
  std::vector<std::uint32_t> told;
  RunSpec spec =
      testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 700, 0, 1)}, {{1, 1}},
                         s_to_ns(9), testing::at_ms({0, 100, 200, 300, 2950}), s_to_ns(3.5));
  spec.system = std::make_unique<WatchingSystem>(told);
  simulate(spec, nullptr);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{3, 2, 1}));
}

// 270/s need three workers, and the first plan knows it. The plan at 2 s is the first that may have more than
// one.
TEST(Scaling, StartsWithNoMoreWorkersThanItIsToldTo) {
  RunSpec spec = step_spec(270, 270, 16);
  using Steps = std::vector<std::pair<double, std::uint32_t>>;
  EXPECT_EQ(worker_steps(simulate(spec, nullptr)), (Steps{{0, 3}}));
  spec.planner.initial_workers = 1;
  Steps steps = worker_steps(simulate(spec, nullptr));
  steps.resize(3);  // later, when nothing is sent any more, they go
  EXPECT_EQ(steps, (Steps{{0, 1}, {2.5, 2}, {2.5, 3}}));
  spec.planner.initial_workers = 4;
  EXPECT_EQ(worker_steps(simulate(spec, nullptr)), (Steps{{0, 3}}));
}

/// Plans five workers, then one more than it is told are in force.
class CountingPlanner final : public Planner {
 public:
  Plan plan(TimeNs, const LoadStatistics&, const Plan& current) override {
    if (current.modules.empty()) return {{{5, 1, kNsPerMs}}, {}};
    Plan next = current;
    ++next.modules[0].workers;
    return next;
  }
};

class CountingSystem final : public System {
 public:
  void list(ParamList&) override {}
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS; }
  std::unique_ptr<Planner> make_planner(const ServingContext&) const override {
    return std::make_unique<CountingPlanner>();
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  testing::ScriptedSystem fifo_{{}};
};

TEST(Scaling, ASystemsOwnPlannerGoesOnFromTheStartThatItWasLeft) {
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 1, 0, 1)},
                                    {{1, 1}}, s_to_ns(1), testing::at_ms({0, 3000}), s_to_ns(3.5));
  spec.workers = 20;
  spec.system = std::make_unique<CountingSystem>();
  spec.world.cold_start_ms = 0;
  spec.planner.initial_workers = 2;
  using Steps = std::vector<std::pair<double, std::uint32_t>>;
  EXPECT_EQ(worker_steps(simulate(spec, nullptr)), (Steps{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
}

TEST(Scaling, GroupsStartSmallTooAndSlotsOfServicesAreNoReplicas) {
  RunSpec spec;
  spec.profiles.assign(3, testing::linear_profile("m", 1, 0, 1));
  Plan plan{{{4, 1, 1}, {6, 1, 1}, {2, 1, 1}}, {{4, {0, 1}}, {2, {1, 2}}, {0, {2}}}};
  EXPECT_EQ(start_of(spec, plan), plan);
  spec.planner.initial_workers = 1;
  EXPECT_EQ(start_of(spec, plan),
            (Plan{{{1, 1, 1}, {2, 1, 1}, {1, 1, 1}}, {{1, {0, 1}}, {1, {1, 2}}, {0, {2}}}}));
  spec.profiles[1].service = Service::kDelay;
  plan.groups.clear();
  EXPECT_EQ(start_of(spec, plan), (Plan{{{1, 1, 1}, {6, 1, 1}, {1, 1, 1}}, {}}));
}

}  // namespace
}  // namespace harness
