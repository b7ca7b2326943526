#include "systems/nexus/cycle_scheduler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "systems/nexus/test_independent_models.h"

namespace harness {
namespace {

/// The shared node of the worked example: batches of 8 of A (75 ms) and of 4 of B (50 ms) every 125 ms.
class CycleSchedulerTest : public testing::Test {
 protected:
  void start(const NexusParams& params, TimeNs now = 0) {
    scheduler_ = std::make_unique<CycleScheduler>(world_.context, 1, params);
    Plan plan;
    plan.modules = {{2, 16, 100 * kMs, 200 * kMs}, {1, 4, 50 * kMs, 250 * kMs}, {1, 4, 60 * kMs, 250 * kMs}};
    plan.groups = {{1, {0}, {16}, 100 * kMs}, {1, {0, 1}, {8, 4}, 125 * kMs}, {1, {2}, {4}, 125 * kMs}};
    call([&](Decisions& out) { scheduler_->on_plan(now, plan, out); });
    call([&](Decisions& out) { scheduler_->on_worker_added(now, 7, out); });
    EXPECT_EQ(free(now), "");
  }
  static NexusParams cycle() {
    NexusParams params;
    params.turns = NexusTurns::kCycle;
    return params;
  }

  std::string arrive(TimeNs now, ModuleId module, VisitId id) {
    Visit visit;
    visit.id = id;
    visit.module = module;
    visit.sent_ns = now;
    visit.deadline_ns = now + world_.context.streams[module].slo_ns;
    visit.arrived_ns = now;
    return call([&](Decisions& out) { scheduler_->on_arrival(now, visit, out); });
  }
  std::string arrive(TimeNs now, ModuleId module, VisitId first, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += arrive(now, module, first + static_cast<VisitId>(i));
    return text;
  }
  std::string free(TimeNs now) {
    return call([&](Decisions& out) { scheduler_->on_worker_free(now, 7, out); });
  }
  std::string timer(TimeNs now) {
    return call([&](Decisions& out) { scheduler_->on_timer(now, out); });
  }
  template <class Call>
  std::string call(Call what) {
    Decisions out;
    what(out);
    return text_of(out);
  }

  SideBySideWorld world_{nexus_example_profiles(), nexus_example_streams(), 3};
  std::unique_ptr<CycleScheduler> scheduler_;
};

TEST_F(CycleSchedulerTest, SessionsTakeTurnsWithTheirPlannedBatches) {
  start({});
  EXPECT_EQ(arrive(0, 0, 1), "join 7<1; launch 7") << "an idle node does not wait";
  EXPECT_EQ(arrive(1 * kMs, 0, 10, 9) + arrive(1 * kMs, 1, 20, 6), "");
  EXPECT_EQ(free(50 * kMs), "join 7<20; join 7<21; join 7<22; join 7<23; launch 7") << "B, 4 of 6";
  EXPECT_EQ(
      free(100 * kMs),
      "join 7<10; join 7<11; join 7<12; join 7<13; join 7<14; join 7<15; join 7<16; join 7<17; launch 7")
      << "A, 8 of 9, ends at 175";
  EXPECT_EQ(free(175 * kMs), "join 7<24; join 7<25; launch 7") << "by 250 ms";
  EXPECT_EQ(free(225 * kMs), "drop 18 early_drop") << "due at 201 ms";
}

TEST_F(CycleSchedulerTest, ASessionWithNothingToRunIsPassedOver) {
  start({});
  arrive(0, 0, 1);
  arrive(1 * kMs, 0, 2);
  EXPECT_EQ(free(50 * kMs), "join 7<2; launch 7") << "B's turn, but it is empty";
  arrive(60 * kMs, 0, 3);
  arrive(61 * kMs, 1, 4);
  EXPECT_EQ(free(100 * kMs), "join 7<4; launch 7");
}

TEST_F(CycleSchedulerTest, ASessionWhoseVisitsAreAllTooLateLosesItsTurn) {
  start({});
  arrive(0, 1, 1);
  arrive(0, 0, 2);  // due at 200 ms
  arrive(100 * kMs, 1, 3);
  EXPECT_EQ(free(150 * kMs), "drop 2 early_drop; join 7<3; launch 7") << "2 would end at 225 ms, 3 at 200 ms";
}

TEST_F(CycleSchedulerTest, TurnsOfTheCycleComeAtTheirTimes) {
  start(cycle());
  EXPECT_EQ(arrive(0, 0, 1), "join 7<1; launch 7") << "A's turn is at the start of the cycle";
  EXPECT_EQ(arrive(10 * kMs, 0, 2), "");
  EXPECT_EQ(arrive(20 * kMs, 1, 3), "");
  EXPECT_EQ(free(50 * kMs), "wake 75000000") << "B's, 75 ms after it";
  EXPECT_EQ(timer(75 * kMs), "join 7<3; launch 7");
  EXPECT_EQ(free(125 * kMs), "join 7<2; launch 7") << "A's, a duty cycle after its first";
}

TEST_F(CycleSchedulerTest, ATurnThatFindsNothingIsLost) {
  start(cycle(), 1000 * kMs);
  EXPECT_EQ(arrive(1010 * kMs, 0, 1), "wake 1125000000") << "A's turn at 1000 ms found nothing";
  EXPECT_EQ(arrive(1020 * kMs, 1, 2), "wake 1075000000");
  EXPECT_EQ(timer(1075 * kMs), "join 7<2; launch 7");
  EXPECT_EQ(free(1125 * kMs), "join 7<1; launch 7");
  EXPECT_EQ(free(1200 * kMs), "");
  EXPECT_EQ(arrive(1760 * kMs, 1, 3), "wake 1825000000") << "1075 + 6 * 125";
}

TEST_F(CycleSchedulerTest, TurnsThatAnExecutionDelaysFollowItAtOnce) {
  start(cycle());
  arrive(0, 0, 1);
  arrive(10 * kMs, 1, 2);
  arrive(10 * kMs, 0, 3);
  EXPECT_EQ(free(90 * kMs), "join 7<2; launch 7") << "B's turn was at 75 ms";
  arrive(120 * kMs, 1, 4);
  EXPECT_EQ(free(130 * kMs), "join 7<3; launch 7") << "A's was at 125 ms";
  EXPECT_EQ(free(180 * kMs), "wake 200000000") << "they have caught up";
}

TEST_F(CycleSchedulerTest, TurnsMissedByMoreThanACycleAreLost) {
  start(cycle());
  arrive(0, 0, 1);
  arrive(400 * kMs, 0, 2);
  arrive(400 * kMs, 1, 3);
  // At 450 ms those from 325 ms on count: B at 325, A at 375.
  EXPECT_EQ(free(450 * kMs), "join 7<3; launch 7");
  EXPECT_EQ(free(500 * kMs), "join 7<2; launch 7");
}

TEST_F(CycleSchedulerTest, VisitsBeyondThePlannedRateAreRefused) {
  NexusParams params = cycle();
  params.admission = NexusAdmission::kPlanned;
  start(params, 1000 * kMs);
  EXPECT_EQ(arrive(1010 * kMs, 1, 1), "wake 1075000000");
  arrive(1020 * kMs, 1, 2, 3);
  EXPECT_EQ(arrive(1030 * kMs, 1, 5), "drop 5 overload") << "B, 4 in a cycle";
  EXPECT_EQ(arrive(1040 * kMs, 0, 6), "wake 1075000000") << "A has visits of its own";
  EXPECT_EQ(timer(1075 * kMs), "join 7<1; join 7<2; join 7<3; join 7<4; launch 7");
  EXPECT_EQ(arrive(1124 * kMs, 1, 7), "drop 7 overload") << "the queue is empty, but the cycle is the same";
  EXPECT_EQ(free(1125 * kMs), "join 7<6; launch 7");
  EXPECT_EQ(arrive(1125 * kMs, 1, 8), "") << "the next cycle";
}

TEST_F(CycleSchedulerTest, ForgetsWhatIsCancelledAndEndsWithItsWorker) {
  start({});
  arrive(0, 0, 1);
  arrive(1 * kMs, 0, 2);
  arrive(1 * kMs, 1, 3);
  call([&](Decisions& out) { scheduler_->on_cancelled(2 * kMs, 3, out); });
  EXPECT_EQ(free(50 * kMs), "join 7<2; launch 7");
  arrive(60 * kMs, 1, 4);
  const WorkerId worker = 7;
  EXPECT_EQ(call([&](Decisions& out) { scheduler_->on_workers_lost(70 * kMs, {&worker, 1}, {}, out); }), "");
  EXPECT_EQ(arrive(71 * kMs, 0, 5), "") << "nobody is there to run it";
  call([&](Decisions& out) { scheduler_->on_cancelled(71 * kMs, 4, out); });
  call([&](Decisions& out) { scheduler_->on_cancelled(71 * kMs, 5, out); });
}

}  // namespace
}  // namespace harness
