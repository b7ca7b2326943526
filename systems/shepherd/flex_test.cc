#include "systems/shepherd/flex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/test_time.h"
#include "systems/shepherd/test_flex_simulator.h"

namespace harness {
namespace {

/// FLEX by hand: two models of 10 ms + 1 ms a visit, decisions as text.
class FlexByHand : public testing::Test {
 protected:
  FlexByHand() { make({}); }

  void make(const FlexParams& params) {
    profiles_ = {flex_profile(kMs, 10 * kMs, 64), flex_profile(kMs, 10 * kMs, 64)};
    const std::vector<FlexModel> models{{3, &profiles_[0]}, {7, &profiles_[1]}};
    flex_ = std::make_unique<Flex>(params, models);
  }

  Visit visit(VisitId id, ModuleId module, TimeNs due_ms) const {
    return {id, module, 0, id, 0, due_ms * kMs, 0};
  }
  std::vector<Visit> visits(VisitId from, VisitId to, ModuleId module, TimeNs due_ms) const {
    std::vector<Visit> list;
    for (VisitId id = from; id <= to; ++id) list.push_back(visit(id, module, due_ms));
    return list;
  }
  std::string add(WorkerId worker, TimeNs now_ms = 0) {
    flex_->on_worker_added(now_ms * kMs, worker, out_);
    return text();
  }
  std::string arrive(TimeNs now_ms, VisitId id, ModuleId module, TimeNs due_ms) {
    flex_->on_arrival(now_ms * kMs, visit(id, module, due_ms), out_);
    return text();
  }
  std::string arrive_all(TimeNs now_ms, VisitId from, VisitId to, ModuleId module, TimeNs due_ms) {
    std::string all;
    for (VisitId id = from; id <= to; ++id) all += arrive(now_ms, id, module, due_ms);
    return all;
  }
  std::string complete(TimeNs now_ms, WorkerId worker) {
    flex_->on_completed(now_ms * kMs, worker, out_);
    return text();
  }
  std::string preempted(TimeNs now_ms, WorkerId worker, const std::vector<Visit>& visits) {
    flex_->on_preempted(now_ms * kMs, worker, visits, out_);
    return text();
  }
  std::string cancel(TimeNs now_ms, VisitId id) {
    flex_->on_cancelled(now_ms * kMs, id, out_);
    return text();
  }

  std::string text() {
    std::string all;
    for (const FlexDecision& decision : out_.list()) {
      switch (decision.kind) {
        case FlexDecision::Kind::kStart:
          all += "start " + std::to_string(decision.worker) + " m" + std::to_string(decision.module) + ":";
          for (const VisitId id : out_.visits(decision)) all += " " + std::to_string(id);
          break;
        case FlexDecision::Kind::kPreempt:
          all += "preempt " + std::to_string(decision.worker);
          break;
        case FlexDecision::Kind::kDrop:
          all += "drop " + std::to_string(decision.visit);
      }
      all += "; ";
    }
    out_.clear();
    return all;
  }

  std::vector<Profile> profiles_;
  std::unique_ptr<Flex> flex_;
  FlexDecisions out_;
};

TEST_F(FlexByHand, StartsOnIdleWorkersInOrderOfTheirIds) {
  EXPECT_EQ(arrive(0, 0, 3, 100), "");
  EXPECT_EQ(add(5), "start 5 m3: 0; ");
  EXPECT_EQ(add(2), "");
  EXPECT_EQ(add(9), "");
  EXPECT_EQ(arrive(0, 1, 7, 100), "start 2 m7: 1; ");
  EXPECT_EQ(arrive(0, 2, 7, 100), "start 9 m7: 2; ");
  EXPECT_EQ(arrive(0, 3, 7, 100), "");
}

TEST_F(FlexByHand, GivesAFreeWorkerTheLargestFeasibleBatchInOrderOfDeadline) {
  FlexParams params;
  params.preempt = false;
  make(params);
  add(0);
  EXPECT_EQ(arrive(0, 0, 3, 100), "start 0 m3: 0; ");
  arrive(1, 1, 7, 40);
  arrive(1, 2, 7, 35);
  arrive(1, 3, 3, 30);
  arrive(1, 4, 7, 23);
  // At 11: module 7 could serve 4 alone by 22, but 1 and 2 together by 23 are more, and all three would end
  // at 24.
  EXPECT_EQ(complete(11, 0), "start 0 m7: 4 2; ");
  EXPECT_EQ(complete(23, 0), "drop 3; start 0 m7: 1; ");
}

TEST_F(FlexByHand, DropsAtOnceWhatNoBatchCanServe) {
  add(0);
  EXPECT_EQ(arrive(0, 0, 3, 10), "drop 0; ");
  EXPECT_EQ(arrive(0, 1, 3, 11), "start 0 m3: 1; ");
}

TEST_F(FlexByHand, PreemptsWhenTheCandidateIsLambdaTimesAsLarge) {
  add(0);
  EXPECT_EQ(flex_->lambda(), 2.38);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive_all(1, 1, 2, 7, 100), "");
  EXPECT_EQ(arrive(1, 3, 7, 100), "preempt 0; ");
  EXPECT_EQ(flex_->queued(), 0U) << "the candidate is held";
  EXPECT_EQ(preempted(1, 0, {visit(0, 3, 100)}), "start 0 m7: 1 2 3; ");
  EXPECT_EQ(flex_->queued(), 1U);
  EXPECT_EQ(complete(14, 0), "start 0 m3: 0; ");
}

TEST_F(FlexByHand, CountsTheRunningBatchIntoTheCandidateOfItsModel) {
  add(0);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive(1, 1, 3, 100), "");
  EXPECT_EQ(arrive(1, 2, 3, 100), "preempt 0; ") << "three with the one that runs";
  EXPECT_EQ(preempted(1, 0, {visit(0, 3, 100)}), "start 0 m3: 1 2 0; ");
}

TEST_F(FlexByHand, DoesNotCountARunningVisitThatCouldNotStartAgain) {
  add(0);
  arrive(0, 0, 3, 12);
  EXPECT_EQ(arrive_all(2, 1, 2, 3, 100), "") << "0 would end at 13 at the earliest";
  EXPECT_EQ(arrive(2, 3, 3, 100), "preempt 0; ");
  EXPECT_EQ(preempted(2, 0, {visit(0, 3, 12)}), "drop 0; start 0 m3: 1 2 3; ");
}

TEST_F(FlexByHand, NeverPreemptsWithoutTheRight) {
  FlexParams params;
  params.preempt = false;
  make(params);
  add(0);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive_all(1, 1, 40, 7, 100), "");
}

TEST_F(FlexByHand, UsesTheThresholdOfTheNumberOfWorkers) {
  add(0);
  add(1);
  EXPECT_EQ(flex_->lambda(), 3.03);
  arrive(0, 0, 3, 100);
  arrive(0, 1, 3, 100);
  EXPECT_EQ(arrive_all(1, 2, 4, 7, 100), "");
  EXPECT_EQ(arrive(1, 5, 7, 100), "preempt 0; ");
  flex_->on_worker_draining(kMs, 1, out_);
  EXPECT_EQ(flex_->lambda(), 2.38);
}

TEST_F(FlexByHand, HoldsTheCandidateForOneWorker) {
  add(0);
  add(1);
  arrive(0, 0, 3, 100);
  arrive(0, 1, 3, 100);
  EXPECT_EQ(arrive_all(1, 2, 5, 7, 100), "preempt 0; ");
  // Not for worker 1, which ends first, nor is it preempted for the same visits.
  EXPECT_EQ(complete(11, 1), "");
  EXPECT_EQ(arrive(11, 6, 7, 100), "start 1 m7: 6; ");
  EXPECT_EQ(preempted(12, 0, {visit(0, 3, 100)}), "start 0 m7: 2 3 4 5; ");
}

TEST_F(FlexByHand, FormsTheBatchAnewWhenTheWorkerIsFree) {
  add(0);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive_all(1, 1, 3, 7, 17), "preempt 0; ");
  EXPECT_EQ(arrive_all(2, 4, 6, 7, 100), "") << "six are not 2.38 times as many as three";
  EXPECT_EQ(preempted(5, 0, {visit(0, 3, 100)}), "start 0 m7: 4 5 6; ")
      << "of 1 to 3 only two would end by 17";
}

TEST_F(FlexByHand, ReplacesTheHeldCandidateByOneLambdaTimesAsLarge) {
  add(0);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive_all(1, 1, 3, 7, 100), "preempt 0; ");
  EXPECT_EQ(arrive_all(1, 4, 10, 3, 100), "");
  EXPECT_EQ(arrive(1, 11, 3, 100), "") << "asked to stop already";
  EXPECT_EQ(flex_->queued(), 3U) << "the three are back";
  EXPECT_EQ(preempted(2, 0, {visit(0, 3, 100)}), "start 0 m3: 4 5 6 7 8 9 10 11 0; ");
}

TEST_F(FlexByHand, TakesTheCandidateWhenTheBatchEndsBeforeItsExit) {
  add(0);
  arrive(0, 0, 3, 100);
  EXPECT_EQ(arrive_all(1, 1, 3, 7, 100), "preempt 0; ");
  EXPECT_EQ(complete(11, 0), "start 0 m7: 1 2 3; ");
}

TEST_F(FlexByHand, PicksTheTarget) {
  for (const FlexTarget target : {FlexTarget::kOrder, FlexTarget::kSmallest}) {
    FlexParams params;
    params.target = target;
    make(params);
    add(0);
    arrive(0, 0, 3, 100);
    arrive(0, 1, 3, 100);
    EXPECT_EQ(complete(11, 0), "start 0 m3: 1; ");
    arrive_all(11, 2, 3, 3, 100);
    EXPECT_EQ(preempted(11, 0, {visit(1, 3, 100)}), "start 0 m3: 2 3 1; ");
    add(1, 11);
    EXPECT_EQ(arrive(11, 4, 7, 100), "start 1 m7: 4; ");
    add(2, 11);
    const WorkerId lost = 2;
    flex_->on_workers_lost(12 * kMs, {&lost, 1}, visits(5, 14, 3, 50), out_);
    EXPECT_EQ(text(), target == FlexTarget::kOrder ? "preempt 0; " : "preempt 1; ")
        << "for 13 of 3, or 10 of 1";
  }
}

TEST_F(FlexByHand, ForgetsCancelledVisitsQueuedOrHeld) {
  add(0);
  arrive(0, 0, 3, 100);
  arrive_all(1, 1, 3, 7, 100);
  EXPECT_EQ(cancel(2, 2), "") << "held";
  EXPECT_EQ(arrive(2, 4, 3, 100), "");
  EXPECT_EQ(cancel(2, 4), "") << "queued";
  EXPECT_EQ(preempted(3, 0, {}), "start 0 m7: 1 3; ");
}

TEST_F(FlexByHand, GivesADrainingWorkerNothingMore) {
  add(0);
  arrive(0, 0, 3, 100);
  arrive_all(1, 1, 3, 7, 100);
  flex_->on_worker_draining(2 * kMs, 0, out_);
  EXPECT_EQ(text(), "");
  EXPECT_EQ(flex_->queued(), 3U) << "no longer held";
  EXPECT_EQ(preempted(3, 0, {visit(0, 3, 100)}), "");
  EXPECT_EQ(add(1, 3), "start 1 m7: 1 2 3; ");
}

TEST_F(FlexByHand, QueuesAgainWhatALostWorkerHad) {
  add(0);
  add(1);
  arrive(0, 0, 3, 100);
  arrive(0, 1, 3, 100);
  arrive_all(1, 2, 5, 7, 100);
  const WorkerId lost = 0;
  flex_->on_workers_lost(2 * kMs, {&lost, 1}, visits(0, 0, 3, 100), out_);
  EXPECT_EQ(text(), "preempt 1; ") << "four for worker 1's one";
  flex_->on_workers_lost(2 * kMs, {&lost, 1}, {}, out_);
  EXPECT_EQ(text(), "") << "it is forgotten";
  EXPECT_EQ(preempted(2, 1, {visit(1, 3, 100)}), "start 1 m7: 2 3 4 5; ");
  EXPECT_EQ(complete(16, 1), "start 1 m3: 0 1; ");
}

/// Cases after the rules of nexuslb's SHEPHERD (docs/validation.md), with its lambda and no delays of control
/// and data: a batch of b takes 10 + b ms.
class FlexLikeNexuslb : public FlexByHand {
 protected:
  FlexLikeNexuslb() {
    FlexParams params;
    params.batch = FlexBatch::kPrefix;
    params.lambda = 3.03;
    make(params);
    add(0);
    arrive(0, 0, 3, 200);  // runs from 0 to 11
  }
};

TEST_F(FlexLikeNexuslb, FillsABatchFromTheEarliestDeadlineOn) {
  arrive(1, 1, 7, 23);
  arrive(1, 2, 7, 35);
  arrive(1, 3, 7, 40);
  // At 11: one ends at 22, two at 23, three at 24 > 23.
  EXPECT_EQ(complete(11, 0), "start 0 m7: 1 2; ");
}

TEST_F(FlexLikeNexuslb, StopsAtTheFirstThatDoesNotFit) {
  arrive(1, 1, 7, 22);
  arrive(1, 2, 7, 35);
  arrive(1, 3, 7, 40);
  // At 11: one ends at 22, two at 23 > 22; that 2 and 3 alone would be more is not looked at.
  EXPECT_EQ(complete(11, 0), "start 0 m7: 1; ");
}

TEST_F(FlexLikeNexuslb, RunsTheLargestBatchOfAllModels) {
  arrive_all(1, 1, 2, 7, 60);
  arrive_all(1, 3, 5, 3, 90);  // with the one that runs: four, and lambda x 1 = 3.03
  EXPECT_EQ(preempted(1, 0, {visit(0, 3, 200)}), "start 0 m3: 3 4 5 0; ");
  EXPECT_EQ(complete(15, 0), "start 0 m7: 1 2; ");
}

TEST_F(FlexLikeNexuslb, PreemptsFromLambdaTimesTheRunningBatchOn) {
  EXPECT_EQ(arrive_all(1, 1, 3, 7, 60), "") << "3 < 3.03 x 1";
  EXPECT_EQ(arrive(2, 4, 7, 60), "preempt 0; ") << "4 >= 3.03 x 1; they end at 2 + 14 <= 60";
  EXPECT_EQ(preempted(2, 0, {visit(0, 3, 200)}), "start 0 m7: 1 2 3 4; ");
  EXPECT_EQ(complete(16, 0), "start 0 m3: 0; ") << "its work is lost, not the request";
}

TEST_F(FlexLikeNexuslb, AnEarlyDeadlineKeepsACandidateSmall) {
  arrive(1, 1, 7, 14);
  EXPECT_EQ(arrive_all(1, 2, 5, 7, 60), "") << "1 ends at 12, three at 14, and four would at 15";
}

}  // namespace
}  // namespace harness
