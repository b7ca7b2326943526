// Modules without workers: visits wait in their queues for the next worker.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/servers/test_servers.h"
#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::at_ms;
using testing::fault_of;
using testing::linear_profile;
using testing::Ran;
using testing::server_spec;
using testing::ServerSystem;

/// Returns numbers of workers by module from the time and the numbers of visits at each module.
using Rule = std::function<std::vector<int>(TimeNs, const std::vector<std::uint64_t>&)>;

class RulePlanner final : public Planner {
 public:
  RulePlanner(const ServingContext& context, Rule rule) : context_(context), rule_(std::move(rule)) {}
  Plan plan(TimeNs now, const LoadStatistics& load, const Plan&) override {
    std::vector<std::uint64_t> present(context_.profiles.size(), 0);
    for (std::size_t m = 0; m < load.modules.size(); ++m) present[m] = load.modules[m].present;
    Plan plan;
    for (const int workers : rule_(now, present)) {
      const TimeNs exec_ns = context_.profiles[plan.modules.size()]->latency(1);
      plan.modules.push_back({workers, 1, exec_ns, exec_ns});
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  Rule rule_;
};

class RuleSystem final : public System {
 public:
  explicit RuleSystem(Rule rule) : rule_(std::move(rule)) {}
  void list(ParamList&) override {}
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS; }
  SystemTraits traits() const override { return {.wants_module_statistics = true, .scales_to_zero = true}; }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<RulePlanner>(context, rule_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  Rule rule_;
  testing::ScriptedSystem fifo_{{}};
};

/// Returns a cell with 10 ms at each module, 500 ms until a worker serves, and plans each second of 10 s.
RunSpec cell_of(Pipeline pipeline, std::vector<double> sent_ms, Rule rule) {
  const std::size_t modules = pipeline.modules.size();
  RunSpec spec = testing::make_spec(
      "naive", std::move(pipeline), std::vector<Profile>(modules, linear_profile("m", 0, 10, 1)),
      std::vector<ModuleOverride>(modules, {1, 1}), 20 * kNsPerS, at_ms(sent_ms), 10 * kNsPerS);
  spec.workers = 8;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start_ms = 500;
  spec.system = std::make_unique<RuleSystem>(std::move(rule));
  return spec;
}

/// Returns a rule with the workers `before` until `at_s`, then `after`.
Rule then(std::vector<int> before, TimeNs at_s, std::vector<int> after) {
  return [=](TimeNs now, const auto&) { return now < at_s * kNsPerS ? before : after; };
}

/// Returns a worker for each module that has visits, and no worker for the others.
std::vector<int> on_demand(TimeNs, const std::vector<std::uint64_t>& present) {
  std::vector<int> workers;
  for (const std::uint64_t count : present) workers.push_back(count > 0 ? 1 : 0);
  return workers;
}

void expect_all_served(const Ran& ran) {
  EXPECT_EQ(ran.record.dropped + ran.record.unfinished, 0u);
  EXPECT_EQ(ran.record.in_time + ran.record.late, ran.record.sent);
}

TEST(ScalingToZero, VisitsWaitForTheNextWorker) {
  const RunSpec spec = cell_of(testing::chain(2), {500, 1500}, then({1, 0}, 3, {1, 1}));
  const Ran ran(spec);
  EXPECT_EQ(ran.visit(0, 1).arrived_ns, ms_to_ns(510));
  EXPECT_EQ(ran.visit(0, 1).started_ns, ms_to_ns(3500));
  EXPECT_EQ(ran.visit(1, 1).started_ns, ms_to_ns(3510));
  EXPECT_EQ(ran.record.modules[1].queueing_ns + ran.record.modules[1].wait_ns, ms_to_ns(2990 + 2000));
  expect_all_served(ran);
  EXPECT_GE(fluid_bound(spec, ran.record), ran.record.in_time);
}

TEST(ScalingToZero, WhatIsQueuedWhenTheLastLeavesStays) {
  const RunSpec spec =
      cell_of(testing::chain(1), {985, 990, 995, 1005}, [](TimeNs now, const auto&) -> std::vector<int> {
        return {now < kNsPerS || now >= 2 * kNsPerS ? 1 : 0};
      });
  const Ran ran(spec);
  // The second ran when the plan came; the others wait, in their order.
  EXPECT_EQ(ran.starts(), (std::vector<double>{985, 995, 2500, 2510}));
  expect_all_served(ran);
}

TEST(ScalingToZero, PlansGoOnUntilAllAreServed) {
  // The last plan of the load is of 9 s; each module is found to need a worker a second after the module
  // before.
  const RunSpec spec = cell_of(testing::chain(3), {9950}, on_demand);
  const Ran ran(spec);
  expect_all_served(ran);
  EXPECT_EQ(ran.starts(), (std::vector<double>{10500, 11500, 12500}));
  EXPECT_GE(fluid_bound(spec, ran.record), ran.record.in_time);
}

TEST(ScalingToZero, TheLastWorkerMayBeLost) {
  RunSpec spec = cell_of(testing::chain(1), {500, 1000, 1100}, then({1}, 3, {1}));
  spec.workers = 1;
  spec.faults = {fault_of(FaultKind::kStop, 1050, 1000)};
  const Ran ran(spec);
  expect_all_served(ran);
  EXPECT_EQ(ran.visit(2, 0).started_ns, ms_to_ns(2050)) << "the GPU is back";
}

TEST(ScalingToZero, MergesAndTheirOtherBranchesWaitToo) {
  const RunSpec spec = cell_of(testing::diamond(), {500, 520}, then({1, 1, 0, 0}, 2, {1, 1, 1, 0}));
  // m2 serves from 2.5 s on; m3 never does.
  EXPECT_THROW(simulate(spec, nullptr), CellFailed) << "visits wait for a worker that never comes";
  const RunSpec in_the_end = cell_of(testing::diamond(), {500, 520}, [](TimeNs now, const auto&) {
    return std::vector<int>{1, 1, now < 2 * kNsPerS ? 0 : 1, now < 4 * kNsPerS ? 0 : 1};
  });
  const Ran ran(in_the_end);
  expect_all_served(ran);
  EXPECT_EQ(ran.visit(0, 2).started_ns, ms_to_ns(2500));
  EXPECT_EQ(ran.visit(0, 3).arrived_ns, ms_to_ns(2510));
  EXPECT_EQ(ran.visit(0, 3).started_ns, ms_to_ns(4500));
}

TEST(ScalingToZero, QueuesOfWorkersDropWhatNobodyServes) {
  RunSpec spec = cell_of(testing::chain(2), {500, 1500}, then({1, 0}, 3, {1, 1}));
  spec.serving.queue = QueueScope::kWorker;
  const Ran ran(spec);
  EXPECT_EQ(ran.dropped(1, DropReason::kNoWorker), 2u);
}

// A worker that starts from disk takes 6 s and does not serve yet when the plan takes a worker away: it goes,
// and not the worker from memory that was added after it.
TEST(ScalingToZero, WhoStillStartsGoesFirstOnServers) {
  constexpr double kBertStageMb = 43000.0 / 8;
  // The second worker starts on server 1, which keeps nothing; the third on server 0, from memory.
  const auto server = [](TimeNs now) { return now == 2 * kNsPerS ? 1u : 0u; };
  RunSpec spec =
      server_spec({kBertStageMb}, {2, 0, 0, 0}, 2,
                  {{0, {1}}, {2 * kNsPerS, {2}}, {3 * kNsPerS, {3}}, {5 * kNsPerS, {2}}}, true, server);
  spec.serving.queue = QueueScope::kModule;
  const Ran ran(spec);
  ASSERT_EQ(ran.record.workers.size(), 3u);
  EXPECT_FALSE(ran.record.workers[1].from_memory);
  EXPECT_EQ(ran.record.workers[1].removed_ns, 5 * kNsPerS);
  EXPECT_TRUE(ran.record.workers[2].from_memory);
  EXPECT_EQ(ran.record.workers[2].removed_ns, kNever);
}

// Random plans, many of them without workers, on servers whose GPUs stop and come back: only visits that ran
// on a lost worker are dropped, and no run is better than its bound.
TEST(ScalingToZero, NothingIsDroppedOverRandomPlansAndFaults) {
  std::uint64_t long_waits = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random(seed, "test.to_zero");
    const RunSpec spec = testing::random_server_cell(random, {.scales_to_zero = true});
    const Ran ran(spec);
    const std::uint64_t lost = ran.record.dropped;
    for (ModuleId m = 0; m < spec.profiles.size(); ++m)
      EXPECT_EQ(ran.dropped(m, DropReason::kNoWorker), 0u) << seed;
    EXPECT_EQ(ran.record.in_time + ran.record.late + lost, ran.record.sent);
    EXPECT_GE(fluid_bound(spec, ran.record), ran.record.in_time) << seed;
    for (const VisitRow& row : ran.rows.visit_rows)
      long_waits += row.started_ns - row.arrived_ns > kNsPerS ? 1 : 0;
  }
  EXPECT_GT(long_waits, 500u) << "many find nobody";
}

}  // namespace
}  // namespace harness
