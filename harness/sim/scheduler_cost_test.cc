// Schedulers that take their time (world.scheduler_cost): by hand and against queueing theory.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/engine/replay/replay_call.h"
#include "harness/engine/replay/replay_code.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_scheduler_cost.h"

namespace harness {
namespace {

using testing::Ran;
using testing::refusing;
using testing::spec_of;

TEST(SchedulerCost, ASchedulerIsToldWhenABatchEndedOnItsWorker) {
  // As in the tests below, the ends at 11 and 22 ms are handled at 12 and 23.
  RunSpec spec = spec_of({0, 0.5}, 1, 1);
  spec.record_replay = true;
  const RunRecord record = simulate(spec, nullptr);
  ASSERT_EQ(record.replay.size(), 1U);
  ReplayReader reader(record.replay[0]);
  ReplayCall call;
  Decisions decisions;
  std::vector<double> ended;
  std::vector<double> told;
  while (reader.next(call, decisions)) {
    if (call.kind == ReplayCall::Kind::kBatchStarted) {
      EXPECT_EQ(call.ended_ns, kNever);
    }
    if (call.kind != ReplayCall::Kind::kBatchDone) continue;
    ended.push_back(ns_to_ms(call.ended_ns));
    told.push_back(ns_to_ms(call.now));
  }
  EXPECT_FALSE(reader.damaged());
  EXPECT_EQ(ended, (std::vector<double>{11, 22}));
  EXPECT_EQ(told, (std::vector<double>{12, 23}));
}

TEST(SchedulerCost, DecisionsTakeEffectWhenTheCostHasPassed) {
  // Arrivals at 0 and 0.5 ms are handled at 1 and 2; the batch that starts at 1 ends at 11, which the
  // scheduler has handled at 12: then the next starts. Its end, at 22, is handled at 23.
  const Ran ran(spec_of({0, 0.5}, 1, 1));
  EXPECT_EQ(ran.starts(), (std::vector<double>{1, 12}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{11, 22})) << "an answer does not wait for the scheduler";
  EXPECT_EQ(ran.record.gpu_ns, 20 * kMs);
  EXPECT_EQ(ran.record.workers[0].busy_ns, 20 * kMs) << "a worker whose end waits is not busy";
  EXPECT_EQ(ran.record.end_ns, 23 * kMs);
  EXPECT_EQ(ran.record.scheduler_busy_ns, 4 * kMs) << "two arrivals, two ends";
  for (const VisitRow& row : ran.rows.visit_rows)
    EXPECT_EQ(row.arrived_ns, row.request == 0 ? 0 : kMs / 2) << "it waits before the queue from there on";
}

TEST(SchedulerCost, MessagesAreHandledInOrderOfTheirComing) {
  EXPECT_EQ(Ran(spec_of({0, 0.1, 0.2}, 3, 1)).starts(), (std::vector<double>{1, 2, 3}));
  // The batch of 0 runs from 1 to 11. Handled: 1 at 11.5, that end at 12.5, 2 at 13.5.
  const Ran ran(spec_of({0, 10.5, 11.2}, 2, 1));
  EXPECT_EQ(ran.starts(), (std::vector<double>{1, 11.5, 13.5}));
  const Ran behind(spec_of({0, 10.5, 11.2}, 1, 1));
  EXPECT_EQ(behind.starts(), (std::vector<double>{1, 12.5, 23.5}));
}

TEST(SchedulerCost, EachQueueHasASchedulerOfItsOwn) {
  RunSpec spec = spec_of({0, 0}, 2, 1);
  EXPECT_EQ(Ran(spec).starts(), (std::vector<double>{1, 2}));
  spec.serving.queue = QueueScope::kWorker;
  const Ran ran(spec);
  EXPECT_EQ(ran.starts(), (std::vector<double>{1, 1}));
  EXPECT_EQ(ran.record.scheduler_busy_ns, 2 * kMs) << "of the busiest, not of all";
}

TEST(SchedulerCost, WithoutCostNothingIsCharged) {
  RunSpec spec = spec_of({0, 0}, 1, 1);
  spec.world.scheduler_cost = SchedulerCost::kFree;
  const Ran ran(spec);
  EXPECT_EQ(ran.starts(), (std::vector<double>{0, 10}));
  EXPECT_EQ(ran.record.scheduler_busy_ns, -1);
}

TEST(SchedulerCost, OfZeroIsNone) {
  RandomStream random(3, "no cost");
  for (int round = 0; round < 30; ++round) {
    RunSpec spec = testing::next_with_a_plan([&random] {
      return testing::loaded_cell(random, all_systems()[random.below(all_systems().size())]);
    });
    if (round % 2 == 0) spec.faults = testing::random_faults(random, spec.workers);
    const RunRecord free = simulate(spec, nullptr);
    spec.world.scheduler_cost = SchedulerCost::kFixed;
    spec.world.scheduler_cost_us = 0;
    const RunRecord fixed = simulate(spec, nullptr);
    EXPECT_EQ(fixed.fingerprint, free.fingerprint);
    EXPECT_EQ(fixed.events, free.events);
    EXPECT_EQ(fixed.end_ns, free.end_ns);
  }
}

TEST(SchedulerCost, WaitsAsInMD1) {
  constexpr double kCostMs = 0.1;
  for (const double load : {0.5, 0.8}) {
    double sum_ms = 0;
    double count = 0;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const TimeNs duration_ns = 100 * kNsPerS;
      RunSpec spec = refusing({}, 1, kCostMs);
      spec.arrivals = std::make_unique<testing::FixedArrivals>(
          testing::poisson_times(load / (kCostMs * 1e-3), duration_ns, seed), duration_ns);
      const Ran ran(spec);
      for (const RequestRow& row : ran.rows.request_rows)
        sum_ms += ns_to_ms(row.end_ns - row.sent_ns) - kCostMs;
      count += static_cast<double>(ran.rows.request_rows.size());
      EXPECT_NEAR(static_cast<double>(ran.record.scheduler_busy_ns) / static_cast<double>(duration_ns), load,
                  0.01);
    }
    const double expected_ms = load * kCostMs / (2 * (1 - load));  // Pollaczek-Khinchine
    EXPECT_NEAR(sum_ms / count / expected_ms, 1.0, 0.02) << "load " << load;
  }
}

TEST(SchedulerCost, SaturatesAtOneOverTheCost) {
  // 50,000 messages/s at 20 us; twice as many come for a second.
  std::vector<TimeNs> times;
  for (TimeNs at = 0; at < kNsPerS; at += 10 * kNsPerUs) times.push_back(at);
  const Ran ran(refusing(std::move(times), 4, 0.02));
  const auto handled = std::count_if(ran.rows.request_rows.begin(), ran.rows.request_rows.end(),
                                     [](const RequestRow& row) { return row.end_ns <= kNsPerS; });
  EXPECT_EQ(handled, 50'000);
  EXPECT_EQ(ran.record.end_ns, 2 * kNsPerS);
  EXPECT_EQ(ran.record.scheduler_busy_ns, kNsPerS) << "what it handles after the load does not count";
  // A queue and a scheduler for each of four workers: each gets 25,000 a second.
  RunSpec spread = refusing({}, 4, 0.02);
  spread.serving.queue = QueueScope::kWorker;
  spread.arrivals =
      std::make_unique<testing::FixedArrivals>(testing::poisson_times(1e5, kNsPerS, 1), kNsPerS);
  EXPECT_NEAR(ns_to_s(simulate(spread, nullptr).scheduler_busy_ns), 0.5, 0.02);
}

TEST(SchedulerCost, ABatchMayEndWhileItsPreemptionIsDecided) {
  // The batch of 0 runs from 1 to 11. 1 and 2, handled at 10.2 and 11.2, are enough to stop it, which comes
  // too late; at 12.2 its end has been handled.
  for (const Preemption preemption : {Preemption::kExitPoints, Preemption::kImmediate}) {
    RunSpec spec = spec_of({0, 9.2, 9.4}, 1, 1);
    spec.profiles[0] = testing::linear_profile("m", 0, 10, 4);
    spec.profiles[0].exit_points = 4;
    spec.module_overrides[0] = {4, 1};
    spec.system = std::make_unique<testing::PreemptingSystem>(2);
    spec.world.preemption = preemption;
    const Ran ran(spec);
    EXPECT_EQ(ran.ends(), (std::vector<double>{11, 22.2, 22.2}));
    EXPECT_EQ(ran.record.modules[0].preempted, 0U);
    EXPECT_EQ(ran.record.gpu_ns, 20 * kMs);
  }
}

TEST(SchedulerCost, APreemptedWorkerWaitsForTheScheduler) {
  // The batch of 0 runs from 1 to 11, with exit points at 3, 5, 7 and 9. 1 and 2 are handled at 3.5 and 4.5:
  // it stops at 5, and at 6 all three start.
  RunSpec spec = spec_of({0, 2.5, 3}, 1, 1);
  spec.profiles[0] = testing::linear_profile("m", 0, 10, 4);
  spec.profiles[0].exit_points = 4;
  spec.module_overrides[0] = {4, 1};
  spec.system = std::make_unique<testing::PreemptingSystem>(2);
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{16, 16, 16}));
  EXPECT_EQ(ran.record.gpu_invalid_ns, 4 * kMs);
  EXPECT_EQ(ran.record.gpu_ns, 14 * kMs);
}

TEST(SchedulerCost, AGpuThatStopsWhileItsEndWaitsHasWorkedUntilThatEnd) {
  // The batch runs from 5 to 15, and would be heard of at 20.
  RunSpec spec = spec_of({0}, 1, 5);
  spec.faults = {testing::fault_of(FaultKind::kStop, 17, 100)};
  const Ran ran(spec);
  EXPECT_EQ(ran.record.modules[0].dropped[static_cast<std::size_t>(DropReason::kWorkerLost)], 1U);
  EXPECT_EQ(ran.record.gpu_ns, 10 * kMs);
  EXPECT_EQ(ran.ends(), (std::vector<double>{17}));
}

TEST(SchedulerCost, WhatWaitsForAQueueThatClosesGoesElsewhere) {
  // Five requests wait at each of two queues. The first stops at 5 ms: what it was handling at 10 ms is
  // turned away then, and the other four with it. The second handles all ten, until 100 ms.
  RunSpec spec = refusing(std::vector<TimeNs>(10, 0), 2, 10);
  spec.serving.queue = QueueScope::kWorker;
  spec.faults = {testing::fault_of(FaultKind::kStop, 5, 500)};
  const Ran ran(spec);
  EXPECT_EQ(ran.record.modules[0].arrived, 10U);
  EXPECT_EQ(ran.record.modules[0].dropped[static_cast<std::size_t>(DropReason::kOverload)], 10U);
  std::vector<double> ends = ran.ends();
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<double>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}));
}

}  // namespace
}  // namespace harness
