// Groups of workers that change during a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"

namespace harness {
namespace {

using Groups = std::vector<WorkerGroup>;
using Steps = std::vector<std::pair<TimeNs, std::uint32_t>>;

/// Returns a cell with models a (1 ms) and b (10 ms), whose requests are due after 200 ms, on two GPUs; plans
/// every 500 ms for 2 s.
RunSpec replanned_models(const Groups& groups, std::vector<Groups> later, bool models_are_preloaded,
                         std::vector<std::pair<TimeNs, StreamId>> load) {
  RunSpec spec = testing::independent_cell(
      {testing::linear_profile("a", 0, 1, 1), testing::linear_profile("b", 0, 10, 1)},
      {{0, 200 * kMs, 0}, {1, 200 * kMs, 0}}, 2,
      std::make_unique<testing::GroupSystem>(
          groups, 0.0, false, testing::GroupChanges{500 * kMs, models_are_preloaded, std::move(later)}));
  spec.world.cold_start_ms = 100;
  spec.arrivals = testing::arrivals_of(std::move(load), 2 * kNsPerS);
  return spec;
}

/// Returns the numbers of a module's workers over time.
Steps worker_steps_of(const RunRecord& record, ModuleId module) {
  Steps steps;
  for (const PlanRow& row : record.plans) {
    if (row.module == module) steps.emplace_back(row.at_ns, row.workers);
  }
  return steps;
}

TEST(ChangingGroups, AWarmGpuServesItsNewGroupWhenItsBatchHasEnded) {
  // Until 500 ms b has no GPU. At 500 ms both GPUs run a batch of a: b's visit waits for the one that is its
  // own until 501 ms.
  const RunSpec spec =
      replanned_models({{2, {0}}}, {{{1, {0}}, {1, {1}}}}, true,
                       {{400 * kMs, 1}, {500 * kMs - kMs / 2, 0}, {500 * kMs - kMs / 2, 0}, {500 * kMs, 1}});
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, 3U);
  EXPECT_EQ(record.modules[1].dropped[static_cast<std::size_t>(DropReason::kNoWorker)], 1U);
  const auto last =
      std::max_element(rows.visit_rows.begin(), rows.visit_rows.end(),
                       [](const VisitRow& x, const VisitRow& y) { return x.ended_ns < y.ended_ns; });
  EXPECT_EQ(last->module, 1);
  EXPECT_EQ(last->arrived_ns, 500 * kMs);
  EXPECT_EQ(last->started_ns, 500 * kMs + kMs / 2);
  EXPECT_EQ(worker_steps_of(record, 1), (Steps{{0, 0}, {500 * kMs + kMs / 2, 1}}));
  EXPECT_EQ(record.workers.size(), 3U) << "one moved";
}

TEST(ChangingGroups, AColdGpuServesItsNewGroupAfterTheColdStart) {
  const RunSpec spec =
      replanned_models({{2, {0}}}, {{{1, {0}}, {1, {1}}}}, false, {{550 * kMs, 1}, {601 * kMs, 1}});
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.in_time, 1U);
  EXPECT_EQ(record.modules[1].dropped[static_cast<std::size_t>(DropReason::kNoWorker)], 1U);
  EXPECT_EQ(worker_steps_of(record, 1), (Steps{{0, 0}, {600 * kMs, 1}}));
}

TEST(ChangingGroups, NothingMovesWhereThePlanIsTheSame) {
  for (const bool models_are_preloaded : {false, true}) {
    const RunSpec spec = replanned_models({{1, {0}}, {1, {1}}}, {{{1, {1}}, {1, {0}}}}, models_are_preloaded,
                                          {{400 * kMs, 1}, {800 * kMs, 0}, {1200 * kMs, 1}});
    const RunRecord record = simulate(spec, nullptr);
    EXPECT_EQ(record.in_time, 3U);
    EXPECT_EQ(record.workers.size(), 2U);
    EXPECT_EQ(record.plans.size(), 2U) << "those of the start";
  }
}

TEST(ChangingGroups, WhatIsQueuedMovesWithTheGpu) {
  // Forty requests for a at 499 ms on the GPU that b gets: the rest goes to the other one, none is lost.
  std::vector<std::pair<TimeNs, StreamId>> load(40, {499 * kMs, 0});
  const RunSpec spec = replanned_models({{1, {0}}, {1, {0}}}, {{{1, {0}}, {1, {1}}}}, true, load);
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, 40U);
  TimeNs end_ns = 0;
  for (const VisitRow& row : rows.visit_rows) end_ns = std::max(end_ns, row.ended_ns);
  // Until 501 ms each GPU has run one or two requests; then the other GPU runs the rest, one after the other.
  EXPECT_GE(end_ns, 499 * kMs + 38 * kMs);
  EXPECT_LE(end_ns, 499 * kMs + 39 * kMs);
}

TEST(ChangingGroups, QueuesThatCloseTogetherSendNothingToOneAnother) {
  // Twenty requests for a come to each of two queues at 499 ms; the plan of 500 ms has neither of these
  // queues. Their router checks that it is shown no closing queue (testing::StreamRouter).
  for (const bool models_are_preloaded : {false, true}) {
    std::vector<std::pair<TimeNs, StreamId>> load(40, {499 * kMs, 0});
    for (std::size_t i = 0; i < 20; ++i) load[i].second = 1;
    RunSpec spec = replanned_models({}, {}, models_are_preloaded, load);
    spec.streams = {{0, 200 * kMs, 0}, {0, 200 * kMs, 0}};
    const std::vector<Groups> later = {{{0, {0}}, {0, {0}}, {2, {0, 1}}}};
    spec.system = std::make_unique<testing::GroupSystem>(
        Groups{{1, {0}}, {1, {0}}}, 0.0, true, testing::GroupChanges{500 * kMs, models_are_preloaded, later});
    const RunRecord record = simulate(spec, nullptr);
    const std::uint64_t turned_away =
        record.modules[0].dropped[static_cast<std::size_t>(DropReason::kNoWorker)];
    EXPECT_EQ(record.in_time + turned_away, 40U);
    // With preloaded models the new group takes all requests. With a cold start no group can serve for 100
    // ms; each queue has run two requests at most.
    EXPECT_EQ(turned_away == 0, models_are_preloaded);
    EXPECT_EQ(turned_away >= 36, !models_are_preloaded);
  }
}

TEST(ChangingGroups, AGroupComesBack) {
  // Model a has both GPUs, then one, then both again.
  const RunSpec spec =
      replanned_models({{2, {0}}}, {{{1, {0}}, {1, {1}}}, {{2, {0}}}}, true, {{1900 * kMs, 0}});
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(worker_steps_of(record, 0), (Steps{{0, 2}, {500 * kMs, 1}, {1000 * kMs, 2}, {1500 * kMs, 1}}));
  EXPECT_EQ(worker_steps_of(record, 1), (Steps{{0, 0}, {500 * kMs, 1}, {1000 * kMs, 0}, {1500 * kMs, 1}}));
}

TEST(ChangingGroups, NoPlanIsMadeWhenTheLoadHasEnded) {
  RunSpec spec = replanned_models({{2, {0}}}, {{{1, {0}}, {1, {1}}}}, true, {{0, 0}});
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::vector<TimeNs>{499 * kMs}, 500 * kMs);
  EXPECT_EQ(simulate(spec, nullptr).workers.size(), 2U);
}

// A module that every plan serves is never without a queue if models are preloaded.
TEST(ChangingGroups, NobodyIsTurnedAwayWhileWarmGpusMove) {
  RandomStream random(2, "warm");
  std::size_t moved = 0;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t modules = 1 + random.below(4);
    const auto served = [&] {
      Groups groups = testing::random_groups(random, modules);
      for (WorkerGroup& group : groups) group.workers = 1;
      return groups;
    };
    RunSpec spec = testing::random_group_cell(random);
    if (spec.pipeline.modules.size() != modules) continue;
    spec.faults.clear();
    spec.workers = static_cast<int>(modules);
    const Groups groups = served();
    spec.system = std::make_unique<testing::GroupSystem>(
        groups, 1.5, false, testing::GroupChanges{300 * kMs, true, {served(), served(), served()}});
    const RunRecord record = simulate(spec, nullptr);
    for (const ModuleTotals& module : record.modules)
      EXPECT_EQ(module.dropped[static_cast<std::size_t>(DropReason::kNoWorker)], 0U);
    moved += record.workers.size();
  }
  EXPECT_GT(moved, 100U);
}

}  // namespace
}  // namespace harness
