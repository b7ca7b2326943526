#include "systems/ds2/halting_scheduler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

constexpr TimeNs kHalt = 30 * kNsPerS;

class HaltingSchedulerTest : public ::testing::Test {
 protected:
  std::string wake(TimeNs now) {
    Decisions out;
    scheduler_->on_timer(now, out);
    return text_of(out);
  }
  Plan plan_of(int workers) const {
    Plan plan = world_.plan({1});
    plan.modules[0].workers = workers;
    return plan;
  }

  TestWorld world_{{linear_profile(0, 10, 8)}, 50 * kMs, 4};
  HaltingScheduler* scheduler_ = new HaltingScheduler(kHalt);  // the driver's
  SchedulerDriver driver_{std::unique_ptr<Scheduler>(scheduler_), world_.context};
};

TEST_F(HaltingSchedulerTest, ServesOneAtATimeInOrderOfArrival) {
  EXPECT_EQ(driver_.plan(0, plan_of(1)), "");
  EXPECT_EQ(driver_.add(0, 0), "");
  EXPECT_EQ(driver_.arrive(0, 9, 0), "join 0<9; launch 0");
  EXPECT_EQ(driver_.started(0, 0, 10 * kMs), "");
  EXPECT_EQ(driver_.arrive(kMs, 5, 0), "");
  EXPECT_EQ(driver_.arrive(kMs, 7, 0), "");
  EXPECT_EQ(driver_.cancel(2 * kMs, 5), "");
  EXPECT_EQ(driver_.free(10 * kMs, 0), "join 0<7; launch 0");
}

TEST_F(HaltingSchedulerTest, HaltsWhenThePlanChangesAndOnlyThen) {
  driver_.plan(0, plan_of(1));
  driver_.add(0, 0);
  EXPECT_EQ(driver_.plan(kNsPerS, plan_of(1)), "");
  EXPECT_EQ(driver_.arrive(kNsPerS, 1, 0), "join 0<1; launch 0");
  EXPECT_EQ(driver_.plan(2 * kNsPerS, plan_of(2)), "wake 32000000000");
  EXPECT_EQ(driver_.free(3 * kNsPerS, 0), "");
  EXPECT_EQ(driver_.arrive(4 * kNsPerS, 2, 0), "");
  EXPECT_EQ(driver_.arrive(5 * kNsPerS, 3, 0), "");
  EXPECT_EQ(driver_.arrive(6 * kNsPerS, 4, 0), "");
  EXPECT_EQ(driver_.add(7 * kNsPerS, 1), "");
  EXPECT_EQ(wake(32 * kNsPerS), "join 1<2; launch 1; join 0<3; launch 0");
  EXPECT_EQ(driver_.free(33 * kNsPerS, 1), "join 1<4; launch 1");
}

TEST_F(HaltingSchedulerTest, AChangeDuringAHaltMakesItLonger) {
  driver_.plan(0, plan_of(1));
  driver_.add(0, 0);
  driver_.plan(2 * kNsPerS, plan_of(2));
  driver_.arrive(3 * kNsPerS, 1, 0);
  EXPECT_EQ(driver_.plan(12 * kNsPerS, plan_of(3)), "wake 42000000000");
  EXPECT_EQ(wake(32 * kNsPerS), "wake 42000000000");
  EXPECT_EQ(wake(42 * kNsPerS), "join 0<1; launch 0");
}

TEST_F(HaltingSchedulerTest, NamesNoWorkerThatIsLostOrDraining) {
  driver_.plan(0, plan_of(3));
  for (const WorkerId worker : {0u, 1u, 2u}) driver_.add(0, worker);
  driver_.drain(0, 2);
  EXPECT_EQ(driver_.arrive(0, 1, 0), "join 1<1; launch 1");
  EXPECT_EQ(driver_.lose(kMs, 1, {1}), "join 0<1; launch 0");
  EXPECT_EQ(driver_.arrive(kMs, 2, 0), "");
}

}  // namespace
}  // namespace harness
