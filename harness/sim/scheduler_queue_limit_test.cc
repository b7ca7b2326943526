// Queues of schedulers that are bounded (world.scheduler_queue_limit_ms): by hand and against queueing
// theory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_scheduler_cost.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::kNoRoom;
using testing::Ran;
using testing::refusing;
using testing::spec_of;

bool was_refused(const RequestRow& row) {
  return row.outcome == Outcome::kDropped && row.reason == DropReason::kSchedulerQueueFull;
}

std::uint64_t refused(const RunRecord& record) {
  std::uint64_t sum = 0;
  for (const ModuleTotals& totals : record.modules)
    sum += totals.dropped[static_cast<std::size_t>(DropReason::kSchedulerQueueFull)];
  return sum;
}

std::vector<RequestId> refused_requests(const Ran& ran) {
  std::vector<RequestId> result;
  for (const RequestRow& row : ran.rows.request_rows) {
    if (was_refused(row)) result.push_back(row.request);
  }
  return result;
}

TEST(SchedulerQueueLimit, RefusesWhatWouldWaitLonger) {
  // Five come at once, 1 ms each: they would wait 0, 1, 2, 3 and 4 ms. At 2.5 ms the one under way needs half
  // a millisecond more, at 3 ms the scheduler is idle.
  RunSpec spec = refusing({0, 0, 0, 0, 0, 5 * kMs / 2, 3 * kMs}, 1, 1);
  spec.world.scheduler_queue_limit_ms = 2;
  const Ran ran(spec);
  EXPECT_EQ(refused_requests(ran), (std::vector<RequestId>{3, 4}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{1, 2, 3, 0, 0, 4, 5}));
  EXPECT_EQ(ran.record.scheduler_busy_ns, 5 * kMs) << "what is refused costs nothing";
  for (const VisitRow& row : ran.rows.visit_rows)
    EXPECT_EQ(row.arrived_ns, ran.rows.request_rows[row.request].sent_ns) << "it came all the same";
  EXPECT_EQ(ran.record.modules[0].arrived, 7U);
  spec.world.scheduler_queue_limit_ms = 1.999;
  EXPECT_EQ(refused_requests(Ran(spec)), (std::vector<RequestId>{2, 3, 4}));
  spec.world.scheduler_queue_limit_ms = kNoRoom;
  EXPECT_EQ(refused_requests(Ran(spec)), (std::vector<RequestId>{1, 2, 3, 4, 6}));
  spec.world.scheduler_queue_limit_ms = 0;
  EXPECT_EQ(refused(Ran(spec).record), 0U) << "without a bound";
}

TEST(SchedulerQueueLimit, EndsOfBatchesAreAlwaysTakenAndTakeRoom) {
  // Three batches of one start at 1, 2 and 3 ms and end at 11, 12 and 13. A request at 10.5 is under way when
  // the first end comes, whose turn is at 11.5; one that comes at 12.2 would wait for 0.3 ms of that end and
  // 1 ms of the end of 12 ms.
  const std::vector<double> times = {0, 1, 2, 10.5, 12.2};
  RunSpec spec = spec_of(times, 4, 1);
  spec.world.scheduler_queue_limit_ms = 1.29;
  const Ran ran(spec);
  EXPECT_EQ(refused_requests(ran), (std::vector<RequestId>{4}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{11, 12, 13, 21.5, 12.2}));
  EXPECT_EQ(ran.record.scheduler_busy_ns, 8 * kMs) << "four arrivals, four ends";
  spec.world.scheduler_queue_limit_ms = 1.3;
  EXPECT_EQ(refused(Ran(spec).record), 0U);
}

TEST(SchedulerQueueLimit, EachSchedulerHasALimitOfItsOwn) {
  RunSpec spec = refusing({0, 0, 0}, 2, 1);
  spec.world.scheduler_queue_limit_ms = kNoRoom;
  EXPECT_EQ(refused_requests(Ran(spec)), (std::vector<RequestId>{1, 2}));
  spec.serving.queue = QueueScope::kWorker;
  EXPECT_EQ(refused_requests(Ran(spec)), (std::vector<RequestId>{2}));
}

TEST(SchedulerQueueLimit, RouterHearsOfWhatIsRefused) {
  // Least loaded: were the refused ones still counted at the queue that refused them, all that follow would
  // go to the other and be refused there.
  std::vector<TimeNs> times(40, 0);
  times.push_back(10 * kMs);
  times.push_back(10 * kMs);
  RunSpec spec = refusing(std::move(times), 2, 1);
  spec.serving.queue = QueueScope::kWorker;
  spec.serving.dispatch = Dispatch::kLeastOutstanding;
  spec.world.scheduler_queue_limit_ms = kNoRoom;
  const Ran ran(spec);
  EXPECT_EQ(ran.record.modules[0].dropped[static_cast<std::size_t>(DropReason::kOverload)], 4U);
  EXPECT_EQ(refused(ran.record), 38U);
}

TEST(SchedulerQueueLimit, ARefusedBranchTakesItsRequestAlong) {
  // A diamond; the second request's entry is refused while the first's arrival is under way.
  RunSpec spec = testing::make_spec(
      "naive", testing::diamond(), std::vector<Profile>(4, testing::linear_profile("m", 0, 10, 1)),
      {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, kNsPerS, {0, kMs / 2, 100 * kMs}, kNsPerS);
  spec.serving.queue = QueueScope::kModule;
  spec.world.scheduler_cost = SchedulerCost::kFixed;
  spec.world.scheduler_cost_us = 1000;
  spec.world.scheduler_queue_limit_ms = kNoRoom;
  const Ran ran(spec);
  EXPECT_EQ(refused_requests(ran), (std::vector<RequestId>{1}));
  EXPECT_EQ(ran.record.in_time, 2U);
}

TEST(SchedulerQueueLimit, WhatAClosingQueueSendsOnMayBeRefusedElsewhere) {
  // As in scheduler_cost_test, the first queue stops at 5 ms and sends its five requests on at 10 ms, when
  // the message under way has been handled. The second queue needs 40 ms more for its own messages: the five
  // would wait 40 to 80 ms.
  RunSpec spec = refusing(std::vector<TimeNs>(10, 0), 2, 10);
  spec.serving.queue = QueueScope::kWorker;
  spec.faults = {testing::fault_of(FaultKind::kStop, 5, 500)};
  spec.world.scheduler_queue_limit_ms = 80;
  EXPECT_EQ(refused(Ran(spec).record), 0U);
  spec.world.scheduler_queue_limit_ms = 50;
  const Ran ran(spec);
  EXPECT_EQ(refused(ran.record), 3U);
  EXPECT_EQ(ran.record.modules[0].arrived, 10U);
}

/// Returns the share of Poisson arrivals that an M/D/1 queue takes if it refuses arrivals that would wait
/// longer than `bound`, which is in units of the service time. Up to the bound the waiting time has the
/// distribution of the unbounded queue but for a factor (level crossings: the flow from below is the same),
/// Erlang's P(0) x G(x). All arrivals that are taken are served: 1 - P(0) = load x share, share = P(0) x
/// G(bound).
double share_taken(double load, double bound) {
  double crossings = 0;
  double factorial = 1;
  for (int k = 0; k <= bound; ++k) {
    if (k > 0) factorial *= k;
    crossings += std::pow(load * (k - bound), k) / factorial * std::exp(-load * (k - bound));
  }
  return crossings / (1 + load * crossings);
}

TEST(SchedulerQueueLimit, TheClosedFormIsThatOfKnownQueues) {
  for (const double load : {0.3, 1.0, 4.0})
    EXPECT_NEAR(share_taken(load, 0), 1 / (1 + load), 1e-12) << "Erlang's B with one server";
  EXPECT_NEAR(share_taken(0.5, 12), 1, 1e-6) << "none is refused";
  EXPECT_NEAR(share_taken(2, 8), 0.5, 1e-4) << "always busy";
}

TEST(SchedulerQueueLimit, TakesAsMD1WithABoundToTheWait) {
  constexpr double kCostMs = 0.1;
  constexpr TimeNs kDuration = 40 * kNsPerS;
  for (const double load : {0.5, 0.9, 1.0, 2.0}) {
    const std::vector<TimeNs> times = testing::poisson_times(load / (kCostMs * 1e-3), kDuration, 7);
    for (const double bound : {kNoRoom, 0.5, 1.7, 5.3}) {
      SCOPED_TRACE("load " + std::to_string(load) + ", bound " + std::to_string(bound));
      RunSpec spec = refusing({}, 1, kCostMs);
      spec.arrivals = std::make_unique<testing::FixedArrivals>(times, kDuration);
      spec.world.scheduler_queue_limit_ms = bound * kCostMs;
      const RunRecord record = simulate(spec, nullptr);
      const auto sent = static_cast<double>(record.sent);
      const double taken = sent - static_cast<double>(refused(record));
      EXPECT_NEAR(taken / sent, share_taken(load, bound == kNoRoom ? 0 : bound), 0.004);
      EXPECT_LE(taken, ns_to_ms(kDuration) / kCostMs + bound + 1) << "no more than 1 / cost a second";
      EXPECT_NEAR(ns_to_ms(record.scheduler_busy_ns), taken * kCostMs, (bound + 1) * kCostMs);
    }
  }
}

TEST(SchedulerQueueLimit, NothingThatIsTakenWaitsLonger) {
  RandomStream random(41, "inbox");
  std::uint64_t refusals = 0;
  for (int round = 0; round < 30; ++round) {
    const double cost_ms = 0.01 + random.uniform();
    RunSpec spec = refusing({}, 1, cost_ms);
    spec.world.scheduler_queue_limit_ms = 20 * random.uniform() * random.uniform();
    spec.arrivals = std::make_unique<testing::FixedArrivals>(
        testing::bursty_times(random, 2e3 * (0.2 + random.uniform()) / cost_ms, kNsPerS), kNsPerS);
    const Ran ran(spec);
    const TimeNs cost_ns = ms_to_ns(cost_ms);
    const TimeNs bound_ns = ms_to_ns(spec.world.scheduler_queue_limit_ms);
    TimeNs free_ns = 0;  // time at which all visits taken so far will have been handled
    for (const RequestRow& row : ran.rows.request_rows) {
      const TimeNs wait_ns = std::max<TimeNs>(0, free_ns - row.sent_ns);
      ASSERT_EQ(was_refused(row), wait_ns > bound_ns);
      if (!was_refused(row)) free_ns = row.sent_ns + wait_ns + cost_ns;
      ASSERT_EQ(row.end_ns, was_refused(row) ? row.sent_ns : free_ns);
    }
    refusals += refused(ran.record);
  }
  EXPECT_GT(refusals, 1'000U);
}

}  // namespace

// Every system goes on after it has lost half of its GPUs.

namespace {

/// Returns the share in time of the requests sent in the seconds from `first` to `last` - 1.
double goodput_share(const RunRecord& record, std::size_t first, std::size_t last) {
  WindowCounts sum;
  for (std::size_t window = first; window < last; ++window) {
    sum.sent += record.windows[window].sent;
    sum.in_time += record.windows[window].in_time;
  }
  return static_cast<double>(sum.in_time) / static_cast<double>(sum.sent);
}

class Recovery : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(Recovery, EverySystemGoesOnAfterLosingHalfOfItsWorkersForTwoSeconds) {
  // Three modules of eight workers, batches of 4 in 28 ms: 1143/s. Load 60 %, so that half are not enough.
  // One at a time in 13 ms: 615/s. Load 65 %.
  const std::string name = GetParam()->name;
  const bool batches = name != "ds2" && name != "quart";
  // INFless has only the instances that the rate needs, and drops nothing: a backlog stays to the end.
  const bool has_spare = name != "infless";
  for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
    RunSpec spec = testing::make_spec(
        GetParam()->name, testing::chain(3), std::vector<Profile>(3, testing::linear_profile("m", 5, 8, 4)),
        std::vector<ModuleOverride>(3, {4, 8}), ms_to_ns(400),
        testing::poisson_times(batches ? 686 : 400, 30 * kNsPerS, 9), 30 * kNsPerS);
    spec.serving.queue = queue;
    ParamList params;
    spec.system->list(params);
    // Systems that plan no more workers than the demand needs get eight per module, too.
    if (const Param* headroom = params.find("headroom")) headroom->set(1.6);
    if (name == "ds2") testing::set_param(spec, "margin", 0.5);
    if (name == "quart") testing::set_param(spec, "max_utilisation", 0.65);
    for (int module = 0; module < 3; ++module)
      spec.faults.push_back(testing::fault_of(FaultKind::kStop, 10'000, 2'000, 8 * module, 4));
    const RunRecord record = simulate(spec, nullptr);
    const double before = goodput_share(record, 4, 10);
    EXPECT_GT(before, 0.95);
    if (has_spare) {
      EXPECT_NEAR(goodput_share(record, 18, 30), before, 0.01);
      EXPECT_GT(goodput_share(record, 10, 12), 0.1) << "the other half went on";
    }
    EXPECT_LT(goodput_share(record, 10, 12), 0.98);
    std::uint64_t lost = 0;
    for (const ModuleTotals& totals : record.modules)
      lost += totals.dropped[static_cast<std::size_t>(DropReason::kWorkerLost)];
    EXPECT_GT(lost, 0U);
    EXPECT_LE(lost, 12U * 4U) << "at most what ran";
  }
}

INSTANTIATE_TEST_SUITE_P(AllSystems, Recovery, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
