#include "harness/serving/batching_scheduler.h"

#include <gtest/gtest.h>

#include "harness/serving/batch_slot.h"
#include "harness/serving/test_world.h"
#include "harness/serving/visit_ring.h"

namespace harness {
namespace {

struct Waiting {
  VisitId id = 0;
};

/// A policy that serves first in, first out and keeps for the test what the shared part told it.
struct PlainPolicy {
  struct Seen {
    int plans = 0;
    int starts = 0;
    int done = 0;
    TimeNs slot_start_ns = -1;
    int slot_joined = -1;
    int slot_room = -1;
    int limit = 1000;
  };
  explicit PlainPolicy(Seen& seen) : seen_(seen) {}

  void on_plan(TimeNs, const Plan&) { ++seen_.plans; }
  void start(TimeNs, Decisions& out) {
    ++seen_.starts;
    out.wake_at(5);
  }
  void push(TimeNs, const Visit& visit) { queue_.push({visit.id}); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front({visit.id}); }
  bool erase(VisitId id) { return queue_.erase(id); }
  bool empty() const { return queue_.empty(); }
  int batch_limit() const { return seen_.limit; }
  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    seen_.slot_start_ns = slot.start_ns;
    seen_.slot_joined = slot.joined;
    seen_.slot_room = slot.room;
    int joined = 0;
    for (; joined < slot.room && !queue_.empty(); ++joined) {
      out.join(slot.worker, queue_.front().id);
      queue_.pop_front();
    }
    return joined;
  }
  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) { ++seen_.done; }
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  Seen& seen_;
  VisitRing<Waiting> queue_;
};

class Batching : public ::testing::Test {
 protected:
  explicit Batching(Commit commit = Commit::kEarly) {
    world_.context.serving.commit = commit;
    driver_ = std::make_unique<SchedulerDriver>(
        std::make_unique<BatchingScheduler<PlainPolicy>>(world_.context, ModuleId{0}, seen_), world_.context);
    EXPECT_EQ(driver_->plan(0, world_.plan({2})), "wake 5");
    EXPECT_EQ(driver_->add(0, 0), "");
  }

  TestWorld world_{{linear_profile(10, 5, 4)}, 100 * kMs, 1};
  PlainPolicy::Seen seen_;
  std::unique_ptr<SchedulerDriver> driver_;
};

class BatchingLate : public Batching {
 protected:
  BatchingLate() : Batching(Commit::kLate) {}
};

TEST_F(Batching, AFreeWorkerLaunchesAtOnce) {
  EXPECT_EQ(driver_->arrive(kMs, 1, 0), "join 0<1; launch 0");
  EXPECT_EQ(seen_.slot_start_ns, kMs);
  EXPECT_EQ(seen_.slot_joined, 0);
  EXPECT_EQ(seen_.slot_room, 2);
}

TEST_F(Batching, EarlyCommitJoinsTheNextBatchWhileOneRuns) {
  driver_->arrive(0, 1, 0);
  EXPECT_EQ(driver_->started(0, 0, 15 * kMs), "");
  EXPECT_EQ(driver_->arrive(3 * kMs, 2, 0), "join 0<2");
  EXPECT_EQ(seen_.slot_start_ns, 15 * kMs) << "expected start: the end of the running batch";
  EXPECT_EQ(driver_->arrive(4 * kMs, 3, 0), "join 0<3");
  EXPECT_EQ(seen_.slot_joined, 1);
  EXPECT_EQ(seen_.slot_room, 1);
  EXPECT_EQ(driver_->arrive(5 * kMs, 4, 0), "") << "the forming batch is full";
  EXPECT_EQ(driver_->done(15 * kMs, 0, 0), "");
  EXPECT_EQ(seen_.done, 1);
  EXPECT_EQ(driver_->free(15 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->started(15 * kMs, 0, 35 * kMs, 2), "join 0<4") << "collected right after the start";
}

TEST_F(BatchingLate, LateCommitJoinsOnlyWhenFree) {
  EXPECT_EQ(driver_->arrive(0, 1, 0), "join 0<1; launch 0");
  EXPECT_EQ(driver_->started(0, 0, 15 * kMs), "");
  EXPECT_EQ(driver_->arrive(3 * kMs, 2, 0), "");
  EXPECT_EQ(driver_->arrive(4 * kMs, 3, 0), "");
  EXPECT_EQ(driver_->arrive(5 * kMs, 4, 0), "");
  EXPECT_EQ(driver_->free(15 * kMs, 0), "join 0<2; join 0<3; launch 0");
  EXPECT_EQ(seen_.slot_start_ns, 15 * kMs);
}

TEST_F(Batching, SeveralWorkersBehindOneQueueFillTheEarliestStartFirst) {
  EXPECT_EQ(driver_->add(0, 7), "");
  EXPECT_EQ(driver_->arrive(0, 1, 0), "join 0<1; launch 0");
  driver_->started(0, 0, 30 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 2, 0), "join 7<2; launch 7") << "the other worker is free";
  driver_->started(kMs, 7, 16 * kMs);
  EXPECT_EQ(driver_->arrive(2 * kMs, 3, 0), "join 7<3") << "worker 7 ends first";
  EXPECT_EQ(driver_->arrive(2 * kMs, 4, 0), "join 7<4");
  EXPECT_EQ(driver_->arrive(2 * kMs, 5, 0), "join 0<5") << "worker 7 is full";
  EXPECT_EQ(seen_.slot_start_ns, 30 * kMs);
}

TEST_F(Batching, AFreeWorkerIsPreferredToAnOverdueOne) {
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  EXPECT_EQ(driver_->add(kMs, 7), "");
  EXPECT_EQ(driver_->arrive(20 * kMs, 2, 0), "join 7<2; launch 7");
}

TEST_F(Batching, ADrainingWorkerLaunchesWhatItHasAndTakesNoMore) {
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  driver_->arrive(kMs, 2, 0);
  EXPECT_EQ(driver_->drain(2 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->arrive(3 * kMs, 3, 0), "");
  EXPECT_EQ(driver_->started(15 * kMs, 0, 30 * kMs), "");
  EXPECT_EQ(driver_->free(30 * kMs, 0), "");
  EXPECT_EQ(driver_->add(31 * kMs, 1), "join 1<3; launch 1") << "the queue stays for another worker";
}

// A single worker lies elsewhere than several do: what is known of each must survive the change, both ways.
TEST_F(Batching, WorkersComeAndGoAndTheOthersKeepWhatTheyHave) {
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 30 * kMs);
  EXPECT_EQ(driver_->arrive(0, 2, 0), "join 0<2");
  driver_->add(kMs, 7);
  driver_->add(kMs, 8);
  EXPECT_EQ(driver_->arrive(kMs, 3, 0), "join 7<3; launch 7");
  driver_->started(kMs, 7, 20 * kMs);
  driver_->drain(kMs, 8);
  EXPECT_EQ(driver_->arrive(2 * kMs, 4, 0), "join 7<4") << "8 is gone, and 7 ends before 0";
  EXPECT_EQ(driver_->lose(2 * kMs, 0, {2}), "join 7<2") << "7 alone is left, with one place";
  EXPECT_EQ(driver_->arrive(3 * kMs, 5, 0), "") << "it is full";
  EXPECT_EQ(driver_->free(20 * kMs, 7), "launch 7");
  EXPECT_EQ(driver_->started(20 * kMs, 7, 40 * kMs, 2), "join 7<5");
  driver_->add(20 * kMs, 10);
  EXPECT_EQ(driver_->arrive(20 * kMs, 6, 0), "join 10<6; launch 10");
  driver_->started(20 * kMs, 10, 30 * kMs);
  EXPECT_EQ(driver_->arrive(20 * kMs, 7, 0), "join 10<7") << "7 runs until 40 ms now, not until 20 ms";
  EXPECT_EQ(driver_->lose(21 * kMs, 10, {7}), "join 7<7");
  driver_->lose(21 * kMs, 7, {5, 7});
  EXPECT_EQ(driver_->arrive(22 * kMs, 8, 0), "") << "no worker is left";
  EXPECT_EQ(driver_->add(23 * kMs, 9), "join 9<5; join 9<7; launch 9");
}

TEST_F(Batching, ADrainingIdleWorkerLaunchesNothing) {
  EXPECT_EQ(driver_->drain(0, 0), "");
  EXPECT_EQ(driver_->arrive(0, 1, 0), "");
}

TEST_F(Batching, ALostWorkersFormingBatchGoesToAnotherWorker) {
  driver_->add(0, 7);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 30 * kMs);
  driver_->arrive(0, 2, 0);
  driver_->started(0, 7, 20 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 3, 0), "join 7<3");
  EXPECT_EQ(driver_->arrive(kMs, 4, 0), "join 7<4");
  EXPECT_EQ(driver_->arrive(kMs, 5, 0), "join 0<5");
  EXPECT_EQ(driver_->lose(2 * kMs, 7, {3, 4}), "join 0<3") << "one place is left in the batch of worker 0";
  EXPECT_EQ(driver_->arrive(3 * kMs, 6, 0), "") << "full, and worker 7 is gone";
  EXPECT_EQ(driver_->free(30 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->started(30 * kMs, 0, 50 * kMs, 2), "join 0<4; join 0<6");
}

TEST_F(Batching, ALostWorkersVisitsFillAFreeWorkerAtOnceAndAddedOnesLater) {
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  driver_->arrive(kMs, 2, 0);
  driver_->arrive(kMs, 3, 0);
  driver_->arrive(kMs, 4, 0);
  EXPECT_EQ(driver_->lose(2 * kMs, 0, {2, 3}), "") << "no worker is left";
  EXPECT_EQ(driver_->arrive(3 * kMs, 5, 0), "");
  EXPECT_EQ(driver_->add(4 * kMs, 1), "join 1<2; join 1<3; launch 1") << "before what came after them";
  EXPECT_EQ(driver_->started(4 * kMs, 1, 19 * kMs, 2), "join 1<4; join 1<5");
}

TEST_F(Batching, ALostDrainingWorkerIsForgotten) {
  driver_->add(0, 7);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  driver_->arrive(0, 2, 0);
  driver_->started(0, 7, 20 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 3, 0), "join 0<3");
  EXPECT_EQ(driver_->drain(2 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->lose(3 * kMs, 0, {3}), "join 7<3");
}

TEST_F(Batching, WithoutAWayBackLostVisitsArePushedInTheirOrder) {
  struct PushingPolicy : PlainPolicy {
    using PlainPolicy::PlainPolicy;
    void put_back() = delete;
  };
  SchedulerDriver driver(
      std::make_unique<BatchingScheduler<PushingPolicy>>(world_.context, ModuleId{0}, seen_), world_.context);
  driver.plan(0, world_.plan({2}));
  driver.add(0, 0);
  driver.lose(0, 0, {8, 9});
  EXPECT_EQ(driver.add(kMs, 1), "join 1<8; join 1<9; launch 1");
}

TEST_F(Batching, CancelledVisitsAreForgotten) {
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  for (VisitId id = 2; id < 6; ++id) driver_->arrive(kMs, id, 0);  // 2 and 3 join, 4 and 5 wait
  EXPECT_EQ(driver_->cancel(2 * kMs, 4), "");
  driver_->free(15 * kMs, 0);
  EXPECT_EQ(driver_->started(15 * kMs, 0, 30 * kMs, 2), "join 0<5");
}

TEST_F(Batching, ANewPlanChangesTheCapAndStartsThePolicyOnlyOnce) {
  EXPECT_EQ(driver_->plan(kMs, world_.plan({1})), "");
  EXPECT_EQ(seen_.plans, 2);
  EXPECT_EQ(seen_.starts, 1);
  driver_->arrive(kMs, 1, 0);
  driver_->started(kMs, 0, 16 * kMs);
  EXPECT_EQ(driver_->arrive(2 * kMs, 2, 0), "join 0<2");
  EXPECT_EQ(driver_->arrive(2 * kMs, 3, 0), "");
  EXPECT_EQ(driver_->plan(3 * kMs, world_.plan({4})), "");
  EXPECT_EQ(driver_->arrive(4 * kMs, 4, 0), "") << "what is full stays as it is";
  EXPECT_EQ(driver_->free(16 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->started(16 * kMs, 0, 32 * kMs), "join 0<3; join 0<4");
}

TEST_F(Batching, ThePolicyMayLimitTheBatchBelowThePlan) {
  seen_.limit = 1;
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 15 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 2, 0), "join 0<2");
  EXPECT_EQ(driver_->arrive(kMs, 3, 0), "");
  seen_.limit = 50;
  EXPECT_EQ(driver_->arrive(2 * kMs, 4, 0), "join 0<3") << "the planned cap is 2";
}

TEST_F(Batching, CancellingWhatDoesNotQueueIsABug) {
  EXPECT_DEATH(driver_->cancel(0, 42), "is not in the queue");
}

}  // namespace
}  // namespace harness
