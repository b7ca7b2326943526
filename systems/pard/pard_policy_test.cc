#include "systems/pard/pard_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/test_time.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

using Ids = std::vector<VisitId>;

/// Drives the scheduler of module 0 of a chain of 10 ms and 20 ms, one worker, batch 4, as a host would.
/// L_sub is published as 30 ms: a visit joins a batch that starts at t_e iff t_e + 40 ms <= due.
class PardPolicyTest : public ::testing::Test {
 protected:
  PardPolicyTest() : world_({10 * kMs, 20 * kMs}, chain_of(2)) { remake(PardOrder::kAdaptive); }

  void remake(PardOrder order, bool publish = true) {
    params_.order = order;
    scheduler_ = std::make_unique<BatchingScheduler<PardPolicy>>(world_.context, ModuleId{0}, world_.context,
                                                                 ModuleId{0}, params_,
                                                                 std::make_shared<StartEstimates>());
    out_.clear();
    scheduler_->on_plan(0, world_.plan, out_);
    scheduler_->on_worker_added(0, 0, out_);
    scheduler_->on_worker_free(0, 0, out_);
    if (publish) set_state(30 * kMs, BudgetOrder::kLow);
    take();
  }

  void set_state(TimeNs downstream_ns, BudgetOrder order) {
    PardState state;
    state.downstream_ns = static_cast<double>(downstream_ns);
    state.order = order;
    std::vector<double> packed;
    state.pack(packed);
    scheduler_->on_state(0, 0, packed, out_);
  }

  void arrive(TimeNs now, VisitId id, TimeNs due) {
    Visit visit;
    visit.id = id;
    visit.request = id;
    visit.deadline_ns = due;
    visit.arrived_ns = now;
    scheduler_->on_arrival(now, visit, out_);
  }

  /// A batch starts at `now`, expected to end 10 ms later.
  void start(TimeNs now, std::vector<BatchVisit> visits = {}) {
    BatchView batch;
    batch.started_ns = now;
    batch.expected_end_ns = now + 10 * kMs;
    batch.visits = visits;
    scheduler_->on_batch_started(now, batch, out_);
  }

  struct Taken {
    Ids joined;
    Ids dropped;
    int launches = 0;
  };
  Taken take() {
    Taken taken;
    for (const Decision& decision : out_.list()) {
      if (decision.kind == Decision::Kind::kJoin) taken.joined.push_back(decision.visit_or_first);
      if (decision.kind == Decision::Kind::kLaunch) ++taken.launches;
      if (decision.kind != Decision::Kind::kDrop) continue;
      EXPECT_EQ(decision.reason, DropReason::kEstimatedLate);
      taken.dropped.push_back(decision.visit_or_first);
    }
    out_.clear();
    return taken;
  }

  /// Occupies the worker until 10 ms and fills the forming batch, so that what follows queues.
  void occupy() {
    arrive(0, 1000, kNsPerS);
    start(0);
    for (VisitId id = 1001; id <= 1004; ++id) arrive(0, id, kNsPerS);
    take();
  }

  PardTestWorld world_;
  PardParams params_;
  std::unique_ptr<Scheduler> scheduler_;
  Decisions out_;
};

TEST_F(PardPolicyTest, JoinsAtEqualityAndDropsOneNanosecondBelow) {
  arrive(0, 1, 40 * kMs - 1);
  Taken taken = take();
  EXPECT_EQ(taken.dropped, Ids{1});
  EXPECT_EQ(taken.launches, 0);
  arrive(0, 2, 40 * kMs);
  taken = take();
  EXPECT_EQ(taken.joined, Ids{2});
  EXPECT_EQ(taken.launches, 1);
}

TEST_F(PardPolicyTest, CountsTheBatchWait) {
  // The running batch ends at 10 ms, whenever the visit arrives: 10 + 10 + 30.
  arrive(0, 1, kNsPerS);
  start(0);
  take();
  arrive(6 * kMs, 2, 50 * kMs - 1);
  arrive(7 * kMs, 3, 50 * kMs);
  Taken taken = take();
  EXPECT_EQ(taken.dropped, Ids{2});
  EXPECT_EQ(taken.joined, Ids{3});
  // A batch that is overdue is expected to end now.
  arrive(12 * kMs, 4, 52 * kMs - 1);
  arrive(12 * kMs, 5, 52 * kMs);
  taken = take();
  EXPECT_EQ(taken.dropped, Ids{4});
  EXPECT_EQ(taken.joined, Ids{5});
}

// 4, 6, 8 and 10 ms for 1 to 4 visits, and 30 ms after that.
TEST_F(PardPolicyTest, TakesTheExecutionOfTheBatchAtHand) {
  params_.execution = ExecutionSize::kAtHand;
  world_.profile.latency_ns = {4 * kMs, 6 * kMs, 8 * kMs, 10 * kMs};
  remake(PardOrder::kAdaptive);
  arrive(0, 1, 34 * kMs - 1);
  EXPECT_EQ(take().dropped, Ids{1});
  arrive(0, 2, 34 * kMs);
  EXPECT_EQ(take().joined, Ids{2});
  start(0);  // until 10 ms
  arrive(kMs, 3, 44 * kMs);
  arrive(kMs, 4, 46 * kMs);
  EXPECT_EQ(take().joined, (Ids{3, 4}));
  arrive(kMs, 5, 48 * kMs - 1);
  EXPECT_EQ(take().dropped, Ids{5});
  arrive(kMs, 6, 48 * kMs);
  EXPECT_EQ(take().joined, Ids{6});
}

// The batch starts at 20 ms: the first to join needs 54, the second 56, the third 58, the fourth 60 ms.
TEST_F(PardPolicyTest, DropsWhatTheGrowingBatchMakesLateInEveryOrder) {
  params_.execution = ExecutionSize::kAtHand;
  world_.profile.latency_ns = {4 * kMs, 6 * kMs, 8 * kMs, 10 * kMs};
  struct Case {
    PardOrder order;
    Ids joined;
    Ids dropped;
  };
  for (const Case& expected : {Case{PardOrder::kLbf, {1, 5, 4}, {2, 3}},
                               {PardOrder::kHbf, {4, 5}, {1, 2, 3}},
                               {PardOrder::kFcfs, {1, 4}, {2, 3, 5}}}) {
    remake(expected.order);
    occupy();
    for (const auto& [id, due] : {std::pair{1U, 54}, {2U, 55}, {3U, 53}, {4U, 300}, {5U, 57}})
      arrive(kMs, id, due * kMs);
    start(10 * kMs);
    Taken taken = take();
    EXPECT_EQ(taken.joined, expected.joined);
    std::sort(taken.dropped.begin(), taken.dropped.end());
    EXPECT_EQ(taken.dropped, expected.dropped);
  }
}

TEST_F(PardPolicyTest, StartsFromThePlan) {
  params_.lambda = 0;
  remake(PardOrder::kAdaptive, false);
  arrive(0, 1, 30 * kMs - 1);
  EXPECT_EQ(take().dropped, Ids{1});
  arrive(0, 2, 30 * kMs);
  EXPECT_EQ(take().joined, Ids{2});
}

TEST_F(PardPolicyTest, LooksBackOnlyWhenTold) {
  params_.estimate = EstimateScope::kBack;
  remake(PardOrder::kAdaptive, false);
  arrive(0, 1, 10 * kMs - 1);
  EXPECT_EQ(take().dropped, Ids{1});
  arrive(0, 2, 10 * kMs);
  EXPECT_EQ(take().joined, Ids{2});
}

TEST_F(PardPolicyTest, WithoutAnEstimateServesTheLateInTheSameOrder) {
  params_.estimate = EstimateScope::kOff;
  for (const auto& [order, expected] : {std::pair{PardOrder::kLbf, Ids{2, 3, 1}},
                                        {PardOrder::kHbf, Ids{1, 3, 2}},
                                        {PardOrder::kFcfs, Ids{1, 2, 3}}}) {
    remake(order);
    occupy();
    for (const auto& [id, due] : {std::pair{1U, 9}, {2U, -500}, {3U, 0}}) arrive(5 * kMs, id, due * kMs);
    start(10 * kMs);
    const Taken taken = take();
    EXPECT_EQ(taken.joined, expected);
    EXPECT_TRUE(taken.dropped.empty());
  }
}

TEST_F(PardPolicyTest, TakesTheLowBudgetFirst) {
  occupy();
  for (const auto& [id, due] : {std::pair{1U, 300}, {2U, 100}, {3U, 500}, {4U, 200}, {5U, 400}, {6U, 600}}) {
    arrive(kMs, id, due * kMs);
  }
  EXPECT_TRUE(take().joined.empty());
  start(10 * kMs);
  const Taken taken = take();
  EXPECT_EQ(taken.joined, (Ids{2, 4, 1, 5}));
  EXPECT_TRUE(taken.dropped.empty());
}

TEST_F(PardPolicyTest, TakesTheHighBudgetFirstUnderOverload) {
  set_state(30 * kMs, BudgetOrder::kHigh);
  occupy();
  for (const auto& [id, due] : {std::pair{1U, 300}, {2U, 100}, {3U, 500}, {4U, 200}, {5U, 400}, {6U, 600}}) {
    arrive(kMs, id, due * kMs);
  }
  start(10 * kMs);
  EXPECT_EQ(take().joined, (Ids{6, 3, 5, 1}));
  // The order changes with the next state.
  set_state(30 * kMs, BudgetOrder::kLow);
  start(20 * kMs);
  EXPECT_EQ(take().joined, (Ids{2, 4}));
}

TEST_F(PardPolicyTest, DropsTheHopelessAtEachFetchInBothOrders) {
  for (const BudgetOrder order : {BudgetOrder::kLow, BudgetOrder::kHigh}) {
    remake(PardOrder::kAdaptive);
    set_state(30 * kMs, order);
    occupy();
    arrive(kMs, 1, 60 * kMs - 1);  // batch after next: starts at 20, ends at 60 with what follows
    arrive(kMs, 2, 60 * kMs);
    for (VisitId id = 3; id <= 6; ++id) arrive(kMs, id, 900 * kMs);
    take();
    start(10 * kMs);
    const Taken taken = take();
    EXPECT_EQ(taken.dropped, Ids{1});
    EXPECT_EQ(taken.joined.size(), 4U);
    EXPECT_EQ(taken.joined.front() == 2, order == BudgetOrder::kLow);
  }
}

TEST_F(PardPolicyTest, EmptiesAQueueOfHopelessVisits) {
  set_state(30 * kMs, BudgetOrder::kHigh);
  occupy();
  for (VisitId id = 1; id <= 50; ++id) arrive(kMs, id, 55 * kMs);
  start(10 * kMs);
  const Taken taken = take();
  EXPECT_EQ(taken.dropped.size(), 50U);
  EXPECT_TRUE(taken.joined.empty());
  scheduler_->on_worker_free(20 * kMs, 0, out_);
  EXPECT_TRUE(out_.list().empty());
}

TEST_F(PardPolicyTest, KeepsTheArrivalOrderWhenFcfs) {
  remake(PardOrder::kFcfs);
  set_state(30 * kMs, BudgetOrder::kHigh);
  occupy();
  for (const auto& [id, due] : {std::pair{1U, 300}, {2U, 59}, {3U, 500}, {4U, 200}, {5U, 60}, {6U, 10}}) {
    arrive(kMs, id, due * kMs);
  }
  start(10 * kMs);
  const Taken taken = take();
  EXPECT_EQ(taken.joined, (Ids{1, 3, 4, 5}));
  EXPECT_EQ(taken.dropped, Ids{2});  // 6 is not fetched yet
}

TEST_F(PardPolicyTest, FixedOrdersIgnoreTheState) {
  for (const PardOrder order : {PardOrder::kHbf, PardOrder::kLbf}) {
    for (const BudgetOrder published : {BudgetOrder::kLow, BudgetOrder::kHigh}) {
      remake(order);
      set_state(30 * kMs, published);
      occupy();
      for (VisitId id = 1; id <= 8; ++id) arrive(kMs, id, id * 100 * kMs);
      start(10 * kMs);
      EXPECT_EQ(take().joined, order == PardOrder::kHbf ? (Ids{8, 7, 6, 5}) : (Ids{1, 2, 3, 4}));
    }
  }
}

TEST_F(PardPolicyTest, ForgetsCancelledVisits) {
  for (const PardOrder order : {PardOrder::kAdaptive, PardOrder::kFcfs}) {
    remake(order);
    occupy();
    for (VisitId id = 1; id <= 4; ++id) arrive(kMs, id, 500 * kMs);
    scheduler_->on_cancelled(2 * kMs, 2, out_);
    start(10 * kMs);
    EXPECT_EQ(take().joined, (Ids{1, 3, 4}));
  }
}

TEST_F(PardPolicyTest, ReportsOncePerPeriod) {
  remake(PardOrder::kAdaptive, false);
  out_.clear();
  arrive(0, 1, kNsPerS);
  arrive(0, 2, 0);
  start(2 * kMs, {{1, 0, kMs}});
  out_.clear();
  scheduler_->on_timer(kNsPerS, out_);
  ASSERT_EQ(out_.list().size(), 2U);
  ASSERT_EQ(out_.list()[0].kind, Decision::Kind::kReport);
  const PardReport::View view = PardReport::view(out_.values(out_.list()[0]));
  EXPECT_EQ(view.workers, 1);
  EXPECT_EQ(view.arrived, 2);
  EXPECT_EQ(view.dropped, 0 + 1);
  EXPECT_EQ(view.started, 1);
  EXPECT_EQ(view.queueing_ns, kMs);
  ASSERT_EQ(view.waits_ns.size(), 1U);
  EXPECT_EQ(view.waits_ns[0], kMs);
  EXPECT_EQ(out_.list()[1].kind, Decision::Kind::kWakeAt);
  EXPECT_EQ(out_.list()[1].at_ns, 2 * kNsPerS);
}

// Module 0 has 40 ms of 120. Visit 1 waits from 2 to 10 ms and is dropped from a batch that would have ended
// at 30 ms; 2 joins. Then 3, back from a lost worker, is dropped 25 ms after its arrival, 10 ms before its
// end.
TEST_F(PardPolicyTest, ReportsTheLatencyOfDroppedVisitsWhereTheyCount) {
  world_.context.slo_ns = 120 * kMs;
  world_.plan.modules[0].budget_ns = 40 * kMs;
  params_.estimate = EstimateScope::kWcl;
  params_.budget = SplitBudget::kCumulative;
  struct Case {
    WclVisits visits;
    double first_ms;
    double third_ms;
  };
  for (const Case& expected :
       {Case{WclVisits::kStarted, 0, 0}, {WclVisits::kAll, 8, 25}, {WclVisits::kExpected, 28, 35}}) {
    for (const PardOrder order : {PardOrder::kLbf, PardOrder::kHbf, PardOrder::kFcfs}) {
      params_.wcl_visits = expected.visits;
      remake(order, false);
      occupy();
      const auto worst_ns = [&] {
        out_.clear();
        scheduler_->on_timer(0, out_);
        const double worst = PardReport::view(out_.values(out_.list()[0])).worst_ns;
        out_.clear();
        return worst;
      };
      worst_ns();
      arrive(2 * kMs, 1, 110 * kMs - 1);  // t_e 20 + d 10 + L_sub 80
      arrive(3 * kMs, 2, kNsPerS);
      start(10 * kMs);
      EXPECT_EQ(take().dropped, Ids{1});
      EXPECT_EQ(worst_ns(), expected.first_ms * kMs);
      Visit back;
      back.id = 3;
      back.deadline_ns = 50 * kMs;
      back.arrived_ns = 5 * kMs;
      const WorkerId lost = 0;
      scheduler_->on_workers_lost(20 * kMs, {&lost, 1}, {&back, 1}, out_);
      scheduler_->on_worker_added(30 * kMs, 1, out_);
      scheduler_->on_worker_free(30 * kMs, 1, out_);
      EXPECT_EQ(take().dropped, Ids{3});
      EXPECT_EQ(worst_ns(), expected.third_ms * kMs);
    }
  }
}

TEST_F(PardPolicyTest, CountsAVisitOfALostWorkerOnceAndOrdersItByItsBudget) {
  for (const PardOrder order : {PardOrder::kLbf, PardOrder::kHbf, PardOrder::kFcfs}) {
    remake(order);
    occupy();
    arrive(kMs, 1, 300 * kMs);
    Visit early;
    early.id = 1001;
    early.deadline_ns = 200 * kMs;
    Visit late;
    late.id = 1002;
    late.deadline_ns = 400 * kMs;
    const std::vector<Visit> back{early, late};
    const WorkerId lost = 0;
    scheduler_->on_workers_lost(2 * kMs, {&lost, 1}, back, out_);
    scheduler_->on_worker_added(3 * kMs, 1, out_);
    scheduler_->on_worker_free(3 * kMs, 1, out_);
    const Ids low{1001, 1, 1002};
    const Ids arrival{1001, 1002, 1};
    EXPECT_EQ(take().joined, order == PardOrder::kFcfs  ? arrival
                             : order == PardOrder::kLbf ? low
                                                        : Ids(low.rbegin(), low.rend()));
    scheduler_->on_timer(kNsPerS, out_);
    EXPECT_EQ(PardReport::view(out_.values(out_.list()[0])).arrived, 6);
    out_.clear();
  }
}

// wait_window x own workers / planned workers, rounded up: one queue with all workers reports the whole
// window.
TEST_F(PardPolicyTest, ReportsTheShareOfTheWindowThatItsWorkersHave) {
  world_.plan.modules[0].workers = 4;
  for (const auto& [workers, window, expected] :
       {std::tuple{1, 10, 3U}, {2, 10, 5U}, {3, 10, 8U}, {4, 10, 10U}, {5, 10, 10U}, {4, 10'000'000, 40U}}) {
    params_.wait_window = window;
    remake(PardOrder::kAdaptive);
    for (int i = 1; i < workers; ++i) scheduler_->on_worker_added(0, static_cast<WorkerId>(i), out_);
    start(2 * kMs, std::vector<BatchVisit>(40, {1, 0, kMs}));
    out_.clear();
    scheduler_->on_timer(kNsPerS, out_);
    ASSERT_EQ(out_.list()[0].kind, Decision::Kind::kReport);
    EXPECT_EQ(PardReport::view(out_.values(out_.list()[0])).waits_ns.size(), expected) << workers;
  }
}

// 10,000,000 x 430 does not fit into 32 bits.
TEST(PardPolicy, SharesALargeWindowAmongManyWorkers) {
  PardTestWorld world({10 * kMs}, {});
  world.plan.modules[0].workers = 430;
  PardParams params;
  params.wait_window = 10'000'000;
  PardPolicy policy(world.context, 0, params, std::make_shared<StartEstimates>());
  policy.on_plan(0, world.plan);
  policy.on_workers(430);
  const std::vector<BatchVisit> visits(20'000, {1, 0, kMs});
  BatchView batch;
  batch.started_ns = 2 * kMs;
  batch.visits = visits;
  policy.on_started(2 * kMs, batch);
  Decisions out;
  policy.on_timer(kNsPerS, out);
  EXPECT_EQ(PardReport::view(out.values(out.list()[0])).waits_ns.size(), 20'000U);
}

TEST(PardPolicy, FirstReportsAtTheNextWholePeriod) {
  const PardTestWorld world({10 * kMs}, {});
  PardPolicy policy(world.context, 0, {}, std::make_shared<StartEstimates>());
  Decisions out;
  policy.start(0, out);
  policy.start(3 * kNsPerS + 1, out);
  EXPECT_EQ(out.list()[0].at_ns, kNsPerS);
  EXPECT_EQ(out.list()[1].at_ns, 4 * kNsPerS);
}

}  // namespace
}  // namespace harness
