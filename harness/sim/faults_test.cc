// Faults in virtual time, computed by hand: the effects of a stop, a slow GPU, a late and a lossy link on a
// few requests.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::at_ms;
using testing::fault_of;
using testing::Ran;

/// Returns a chain whose modules have these numbers of workers; a batch is one request and takes 10 ms. First
/// in, first out, round robin, SLO 1 s, no delays.
RunSpec chain_spec(std::vector<int> workers, std::vector<TimeNs> times) {
  std::vector<ModuleOverride> overrides;
  for (const int each : workers) overrides.push_back({1, each});
  return testing::make_spec("naive", testing::chain(workers.size()),
                            std::vector<Profile>(workers.size(), testing::linear_profile("m", 0, 10, 1)),
                            overrides, kNsPerS, std::move(times), kNsPerS);
}

Fault delay_of(double at_ms, double for_ms, int gpu, double delay_ms) {
  Fault fault = fault_of(FaultKind::kDelay, at_ms, for_ms, gpu);
  fault.delay_ns = ms_to_ns(delay_ms);
  return fault;
}

TEST(StoppedGpu, LosesWhatRunsAndGivesItsQueueBack) {
  // Requests 0, 2, 4 are at GPU 0: one runs, one has joined the next batch, one waits. GPU 1 has 1, 3, 5.
  RunSpec spec = chain_spec({2}, at_ms({0, 0, 1, 1, 2, 2, 60, 110, 111}));
  spec.faults = {fault_of(FaultKind::kStop, 4, 100, 0)};
  const Ran ran(spec);
  // GPU 1 goes on with 1, 3, 5, then with 2 and 4, which came back. Request 6 has it to itself. From 104 ms
  // on there are two GPUs again, so that 7 and 8 need not wait for each other.
  EXPECT_EQ(ran.ends(), (std::vector<double>{4, 10, 40, 20, 50, 30, 70, 120, 121}));
  EXPECT_EQ(ran.record.in_time, 8U);
  EXPECT_EQ(ran.dropped(0, DropReason::kWorkerLost), 1U);
  EXPECT_EQ(ran.record.dropped, 1U);
  EXPECT_EQ(ran.record.gpu_ns, 84 * kMs);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 4 * kMs);
  EXPECT_EQ(ran.record.modules[0].arrived, 9U) << "what is routed again arrives once";
  ASSERT_EQ(ran.record.plans.size(), 3U);
  EXPECT_EQ(ran.record.plans[1].at_ns, 4 * kMs);
  EXPECT_EQ(ran.record.plans[1].workers, 1U);
  EXPECT_EQ(ran.record.plans[2].at_ns, 104 * kMs);
  EXPECT_EQ(ran.record.plans[2].workers, 2U);
  ASSERT_EQ(ran.record.workers.size(), 3U);
  EXPECT_EQ(ran.record.workers[0].removed_ns, 4 * kMs);
  EXPECT_EQ(ran.record.workers[0].busy_ns, 4 * kMs);
  EXPECT_EQ(ran.record.workers[2].ready_ns, 104 * kMs) << "warm: no cold start";
  const VisitRow& lost = ran.visit(0, 0);
  EXPECT_EQ(lost.outcome, VisitOutcome::kDropped);
  EXPECT_EQ(lost.reason, DropReason::kWorkerLost);
  EXPECT_EQ(lost.worker, 0U);
  EXPECT_EQ(lost.started_ns, 0);
  EXPECT_EQ(lost.ended_ns, 4 * kMs);
}

TEST(StoppedGpu, BehindASharedQueueItsBatchGoesBackToTheFront) {
  RunSpec spec = chain_spec({2}, at_ms({0, 0, 1, 1, 2, 2}));
  spec.serving.queue = QueueScope::kModule;
  spec.faults = {fault_of(FaultKind::kStop, 4, 500, 0)};
  const Ran ran(spec);
  // 2 had joined at GPU 0, 3 at GPU 1; 4 and 5 wait.
  EXPECT_EQ(ran.ends(), (std::vector<double>{4, 10, 30, 20, 40, 50}));
  EXPECT_EQ(ran.dropped(0, DropReason::kWorkerLost), 1U);
}

/// Returns a diamond of 10 ms modules but m2, which takes 50 ms on GPUs 2 and 3. Request 2 loses its branch
/// at m1 (GPU 1) at 35 ms, while its other branch waits at m2 behind request 0 in the forming batch of GPU 2,
/// which stops at 50 ms.
RunSpec joined_sibling_spec() {
  std::vector<Profile> profiles(4, testing::linear_profile("m", 0, 10, 1));
  profiles[2] = testing::linear_profile("m", 0, 50, 1);
  RunSpec spec = testing::make_spec("naive", testing::diamond(), profiles, {{1, 1}, {1, 1}, {1, 2}, {1, 1}},
                                    kNsPerS, at_ms({0, 0, 0}), kNsPerS);
  spec.faults = {fault_of(FaultKind::kStop, 35, 1, 1), fault_of(FaultKind::kStop, 50, 500, 2)};
  return spec;
}

TEST(StoppedGpu, WhatHadJoinedThereOfAnEndedRequestEndsToo) {
  for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
    RunSpec spec = joined_sibling_spec();
    spec.serving.queue = queue;
    const Ran ran(spec);
    EXPECT_EQ(ran.ends(), (std::vector<double>{50, 80, 35}));
    EXPECT_EQ(ran.dropped(1, DropReason::kWorkerLost), 1U);
    EXPECT_EQ(ran.dropped(2, DropReason::kWorkerLost), 1U);
    EXPECT_EQ(ran.record.modules[2].cancelled, 1U);
    EXPECT_EQ(ran.visit(2, 2).outcome, VisitOutcome::kCancelled);
    EXPECT_EQ(ran.visit(2, 2).ended_ns, 50 * kMs);
    EXPECT_EQ(ran.record.gpu_ns, (30 + 25 + 40 + 50 + 10) * kMs) << "GPU 3 does not run it again";
  }
}

TEST(StoppedGpu, SeveralAtOnceLoseOnlyWhatRan) {
  // No queue is handed to a GPU that stops at the same moment.
  for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
    RunSpec spec = chain_spec({3}, at_ms({0, 0, 0, 1, 1, 1, 2, 2, 2}));
    spec.serving.queue = queue;
    spec.faults = {fault_of(FaultKind::kStop, 4, 500, 0, 2)};
    const Ran ran(spec);
    EXPECT_EQ(ran.dropped(0, DropReason::kWorkerLost), 2U);
    EXPECT_EQ(ran.record.in_time, 7U);
    EXPECT_EQ(ran.record.gpu_ns, 78 * kMs);
    EXPECT_EQ(ran.record.end_ns, 70 * kMs) << "seven requests on one GPU";
  }
}

TEST(StoppedGpu, AModuleWithoutWorkersTakesNothing) {
  RunSpec spec = chain_spec({1, 1}, at_ms({0, 1, 2, 50}));
  spec.faults = {fault_of(FaultKind::kStop, 4, 40, 0)};
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{4, 4, 4, 70}));
  EXPECT_EQ(ran.dropped(0, DropReason::kWorkerLost), 1U);
  EXPECT_EQ(ran.dropped(0, DropReason::kNoWorker), 2U);
  EXPECT_EQ(ran.record.in_time, 1U);
}

/// Runs one request after the other, and drops one when another leaves: then it is too late for it.
class DropsAnother final : public System, public Scheduler {
 public:
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, ModuleId) override {
    return std::make_unique<DropsAnother>();
  }
  void on_plan(TimeNs, const Plan&, Decisions&) override {}
  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId, Decisions&) override {}
  void on_workers_lost(TimeNs, std::span<const WorkerId>, std::span<const Visit>, Decisions&) override {}
  void on_arrival(TimeNs, const Visit& visit, Decisions& out) override {
    queue_.push_back(visit.id);
    start(out);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions& out) override {
    std::erase(queue_, visit);
    if (queue_.empty()) return;
    out.drop(queue_.front(), DropReason::kEarlyDrop);
    queue_.erase(queue_.begin());
  }
  void on_worker_free(TimeNs, WorkerId worker, Decisions& out) override {
    idle_ = worker;
    start(out);
  }
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}

 private:
  void start(Decisions& out) {
    if (!idle_ || queue_.empty()) return;
    out.join(*idle_, queue_.front());
    out.launch(*idle_);
    queue_.erase(queue_.begin());
    idle_.reset();
  }

  std::optional<WorkerId> idle_;
  std::vector<VisitId> queue_;
};

TEST(StoppedGpu, GivesBackWhatItsQueueDoesNotDropMeanwhile) {
  RunSpec spec = chain_spec({1}, at_ms({0, 1, 2, 3}));
  spec.system = std::make_unique<DropsAnother>();
  spec.faults = {fault_of(FaultKind::kStop, 4, 40, 0)};
  const Ran ran(spec);
  // 0 runs. When 1 is given back, 2 is dropped, and no other is left when 3 is.
  EXPECT_EQ(ran.dropped(0, DropReason::kWorkerLost), 1U);
  EXPECT_EQ(ran.dropped(0, DropReason::kNoWorker), 2U);
  EXPECT_EQ(ran.dropped(0, DropReason::kEarlyDrop), 1U);
}

TEST(StoppedGpu, WhatTravelsThereIsRoutedAgain) {
  RunSpec spec = chain_spec({2}, at_ms({0}));
  spec.world.network_delay_ms = 3;
  spec.faults = {fault_of(FaultKind::kStop, 1, 500, 0)};
  EXPECT_EQ(Ran(spec).ends(), (std::vector<double>{3 + 3 + 10}));
}

TEST(StoppedGpu, ComesBackWhenTheLastStopIsOver) {
  RunSpec spec = chain_spec({1}, at_ms({0, 30, 45, 70}));
  spec.faults = {fault_of(FaultKind::kStop, 20, 20, 0), fault_of(FaultKind::kStop, 35, 25, 0),
                 fault_of(FaultKind::kStop, 60, 1, 0)};
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{10, 30, 45, 80}));
  ASSERT_EQ(ran.record.workers.size(), 2U);
  EXPECT_EQ(ran.record.workers[1].ready_ns, 61 * kMs);
}

TEST(StoppedGpu, IsReplacedByAutoscalingWhereAGpuIsFree) {
  // 150/s needs two workers of 100/s; of two GPUs one stops from 1 to 3 s: with a third one there is a
  // replacement after the cold start, and the first is not needed when it is back.
  for (const int gpus : {2, 3}) {
    std::vector<TimeNs> times;
    for (int i = 0; i < 600; ++i) times.push_back(i * kNsPerS / 150);
    RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 10, 1)},
                                      {{1, 0}}, 10 * kNsPerS, times, 4 * kNsPerS);
    spec.workers = gpus;
    spec.planner.workers = WorkerRule::kRate;
    spec.planner.autoscale = true;
    spec.planner.period_s = 100;
    spec.world.cold_start_ms = 500;
    spec.faults = {fault_of(FaultKind::kStop, 1000, 2000, 0)};
    const RunRecord record = simulate(spec, nullptr);
    ASSERT_EQ(record.workers.size(), 3U);
    EXPECT_EQ(record.workers[2].ready_ns, gpus == 2 ? 3 * kNsPerS : 1500 * kMs);
  }
}

TEST(SlowGpu, TakesLongerForBatchesThatStartMeanwhile) {
  RunSpec spec = chain_spec({1}, at_ms({0, 1, 2}));
  spec.faults = {fault_of(FaultKind::kSlow, 5, 20, 0)};
  spec.faults[0].factor = 2;
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{10, 30, 40})) << "started at 0, 10 and 30 ms";
  EXPECT_EQ(ran.record.gpu_ns, 40 * kMs);
  EXPECT_EQ(ran.record.in_time, 3U);
}

TEST(SlowGpu, SlowsItsOwnBatchesOnly) {
  RunSpec spec = chain_spec({2}, at_ms({0, 0}));
  spec.faults = {fault_of(FaultKind::kSlow, 0, 20, 1), fault_of(FaultKind::kSlow, 0, 20, 1)};
  for (Fault& fault : spec.faults) fault.factor = 3;
  EXPECT_EQ(Ran(spec).ends(), (std::vector<double>{10, 90})) << "factors multiply";
}

TEST(DelayedLink, AddsToEveryHopThereAndBack) {
  RunSpec spec = chain_spec({1, 1}, at_ms({0}));
  spec.faults = {delay_of(0, 100, 1, 3)};
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{10 + 3 + 10 + 3}));
  EXPECT_EQ(ran.visit(0, 1).arrived_ns, 13 * kMs);
  EXPECT_EQ(ran.visit(0, 1).ended_ns, 23 * kMs);
  EXPECT_EQ(ran.record.gpu_ns, 20 * kMs) << "waiting for the notice is no work";
}

TEST(DelayedLink, KeepsTheOrder) {
  RunSpec spec = chain_spec({1}, at_ms({4, 6, 14, 15}));
  spec.faults = {delay_of(0, 5, 0, 10)};
  const Ran ran(spec);
  // The first is held until 14 ms; those sent after the fault do not overtake it.
  const std::vector<double> arrived{14, 14, 14, 15};
  for (std::uint64_t i = 0; i < arrived.size(); ++i) {
    EXPECT_EQ(ns_to_ms(ran.visit(i, 0).arrived_ns), arrived[i]) << i;
  }
  EXPECT_EQ(ran.ends(), (std::vector<double>{24, 34, 44, 54}));
}

TEST(DelayedLink, LeavesTheWorkerBusyAndTheRouterInTheDark) {
  // Least loaded: GPU 0 is heard of 50 ms late, so that the second request goes to GPU 1.
  RunSpec spec = chain_spec({2}, at_ms({0, 20, 70}));
  spec.serving.dispatch = Dispatch::kLeastOutstanding;
  spec.faults = {delay_of(5, 30, 0, 50)};
  const Ran ran(spec);
  EXPECT_EQ(ran.visit(0, 0).worker, 0U);
  EXPECT_EQ(ran.visit(1, 0).worker, 1U);
  EXPECT_EQ(ran.visit(2, 0).worker, 0U);
  EXPECT_EQ(ran.ends(), (std::vector<double>{60, 30, 80}));
}

TEST(LossyLink, ALostDeliveryEndsTheRequest) {
  RunSpec spec = chain_spec({1, 1}, at_ms({0, 6}));
  spec.faults = {fault_of(FaultKind::kLoss, 5, 10, 1)};
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{10, 30}));
  EXPECT_EQ(ran.dropped(1, DropReason::kMessageLost), 1U);
  EXPECT_EQ(ran.record.in_time, 1U);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 10 * kMs);
  EXPECT_EQ(ran.record.modules[1].arrived, 2U);
}

TEST(LossyLink, ALostNoticeEndsTheRequestsOfTheBatch) {
  RunSpec spec = chain_spec({1, 1}, at_ms({0, 4, 6}));
  spec.faults = {fault_of(FaultKind::kLoss, 5, 10, 0)};
  const Ran ran(spec);
  // The worker goes on; what it told at 10 ms is lost, as is the delivery at 6 ms.
  EXPECT_EQ(ran.ends(), (std::vector<double>{10, 30, 6}));
  EXPECT_EQ(ran.dropped(0, DropReason::kMessageLost), 2U);
  EXPECT_EQ(ran.record.gpu_ns, 30 * kMs);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 10 * kMs);
  EXPECT_EQ(ran.visit(0, 0).worker, 0U);
  EXPECT_EQ(ran.visit(2, 0).worker, kNone) << "it never ran";
}

TEST(LossyLink, TheRouterGoesOnCountingWhatItNeverHeardOf) {
  RunSpec spec = chain_spec({2}, at_ms({0, 50, 100, 150}));
  spec.serving.dispatch = Dispatch::kLeastOutstanding;
  spec.faults = {fault_of(FaultKind::kLoss, 5, 10, 0)};
  const Ran ran(spec);
  EXPECT_EQ(ran.rows.request_rows.at(0).reason, DropReason::kMessageLost);
  for (std::uint64_t i = 1; i < 4; ++i) EXPECT_EQ(ran.visit(i, 0).worker, 1U) << "both are idle";
}

TEST(LossyLink, AMergeDoesNotWaitForALostBranch) {
  // m0 -> {m1, m2} -> m3; the way to m1 (GPU 1) loses the first request's branch.
  RunSpec spec = testing::make_spec("naive", testing::diamond(),
                                    std::vector<Profile>(4, testing::linear_profile("m", 0, 10, 1)),
                                    std::vector<ModuleOverride>(4, {1, 1}), kNsPerS, at_ms({0, 20}), kNsPerS);
  spec.faults = {fault_of(FaultKind::kLoss, 9, 3, 1)};
  const Ran ran(spec);
  EXPECT_EQ(ran.dropped(1, DropReason::kMessageLost), 1U);
  EXPECT_EQ(ran.rows.request_rows.at(0).end_ns, 10 * kMs);
  EXPECT_EQ(ran.rows.request_rows.at(1).end_ns, 50 * kMs);
  EXPECT_EQ(ran.record.in_time, 1U);
}

TEST(Faults, OnesThatConcernNothingChangeNothing) {
  RunSpec spec = chain_spec({2, 1}, testing::poisson_times(80, kNsPerS, 3));
  const RunRecord sound = simulate(spec, nullptr);
  spec.faults = {fault_of(FaultKind::kStop, 1e6, 1, 0), fault_of(FaultKind::kSlow, 0, 1e6, 2)};
  spec.faults[1].factor = 1;
  spec.workers = 5;
  spec.faults.push_back(fault_of(FaultKind::kLoss, 0, 1e6, 3));
  spec.faults.push_back(fault_of(FaultKind::kStop, 100, 1e6, 4));
  EXPECT_EQ(simulate(spec, nullptr).fingerprint, sound.fingerprint);
}

TEST(RunsThatDoNotEnd, ADayAndTenLoadsAreTheLongestWait) {
  // One worker serves a request in 100 s: 2,000 of them take 2.3 days.
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 100'000, 1)},
                                    {{1, 1}}, kNsPerS, std::vector<TimeNs>(2000, 0), kNsPerS);
  try {
    simulate(spec, nullptr);
    ADD_FAILURE() << "it has an end";
  } catch (const CellFailed& failed) {
    EXPECT_EQ(
        std::string(failed.what()),
        "1136 requests still in the system after the load, and nothing is due within 86400 s of its end");
  }
}

}  // namespace
}  // namespace harness
