// Admission by hand: one module, two visits in 30 ms, one worker.
#include "systems/reserve/admission.h"

#include <gtest/gtest.h>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() {
    world_.context.serving.queue = QueueScope::kModule;
    params_.margin = 0;
  }
  Admission admission() {
    Admission admission(world_.context, params_);
    admission.on_plan(world_.plan({2}));
    return admission;
  }
  static int admitted(Admission& admission, TimeNs now, TimeNs slo_ns = 100 * kMs) {
    int count = 0;
    while (admission.admit(now, now + slo_ns)) ++count;
    return count;
  }

  TestWorld world_{{linear_profile(10, 10, 2)}, 100 * kMs, 1};
  ReserveParams params_;
};

TEST_F(AdmissionTest, LetsInWhatEndsInTime) {
  Admission admission = this->admission();
  EXPECT_EQ(admitted(admission, 0), 6) << "batches from 0, 30 and 60";
  EXPECT_EQ(admitted(admission, 29 * kMs), 2) << "one more, from 90 to 120";
}

TEST_F(AdmissionTest, WithoutItLetsAllIn) {
  params_.admission = false;
  Admission admission = this->admission();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(admission.admit(0, 100 * kMs));
}

TEST_F(AdmissionTest, BelievesAQueueThatIsLate) {
  Admission admission = this->admission();
  EXPECT_EQ(admitted(admission, 0), 6);
  // By the timetable one more would start at 90.
  admission.on_report(0, 0, {10 * kMs, 90 * kMs + 30 * kMs + 21 * kMs, 0, 2});
  EXPECT_EQ(admitted(admission, 40 * kMs), 0) << "21 ms more than a batch: 90 + 21 + 30 is too late for 140";
  admission.on_report(0, 0, {41 * kMs, 90 * kMs, 0, 2});
  EXPECT_EQ(admitted(admission, 41 * kMs), 2) << "on time again";
}

TEST_F(AdmissionTest, ForgetsADelayThatNobodyCanShowToHavePassed) {
  Admission admission = this->admission();
  admission.on_report(0, 0, {0, 1000 * kMs, 0, 2});
  EXPECT_EQ(admitted(admission, 50 * kMs), 0) << "so no batch starts, and no report comes";
  EXPECT_EQ(admitted(admission, 100 * kMs), 6) << "after one SLO";
}

TEST_F(AdmissionTest, LetsNoMoreInWhereAQueueIsAhead) {
  Admission admission = this->admission();
  EXPECT_EQ(admitted(admission, 0), 6);
  admission.on_report(0, 0, {10 * kMs, 30 * kMs, 0, 2});  // the lane says 90
  EXPECT_EQ(admitted(admission, 29 * kMs), 2);
}

TEST_F(AdmissionTest, FormsBatchesForTheWorkersThatServeNow) {
  // Two workers each: 4 visits in 30 ms at the first module, which batches of one at the second reach; with
  // one worker there it takes three.
  TestWorld world({linear_profile(10, 10, 2), profile_of_ms({10, 16, 20, 25})}, 100 * kMs, 4);
  Plan plan = world.plan({2, 4});
  plan.modules[0].workers = plan.modules[1].workers = 2;
  Admission admission(world.context, params_);
  admission.on_plan(plan);
  EXPECT_EQ(admission.shape(1).size, 1);
  const std::vector<QueueView> one = {{7, 1}};
  admission.on_queues(1, one);
  EXPECT_EQ(admission.shape(1).size, 3);
  admission.on_plan(plan);
  EXPECT_EQ(admission.shape(1).size, 3) << "the second still starts";
}

TEST_F(AdmissionTest, IgnoresReportsWithoutFeedback) {
  params_.feedback = false;
  Admission admission = this->admission();
  admission.on_report(0, 0, {0, 90 * kMs, 10, 2});
  EXPECT_EQ(admitted(admission, 0), 6);
}

TEST_F(AdmissionTest, KeepsMoreMarginWhileVisitsAreLost) {
  Admission admission = this->admission();
  // 70 ms to spare; a spacing counts as 7. Each lost visit adds a hundredth of that, 0.07 ms.
  admission.on_report(0, 0, {0, 0, 140, 0});
  EXPECT_EQ(admitted(admission, 0), 6) << "9.8 ms: the third batch ends at 90, 10 before the deadline";
  admission.on_report(0, 0, {0, 90 * kMs, 10, 0});
  EXPECT_EQ(admitted(admission, 200 * kMs), 4) << "10.5 ms";
  admission.on_report(0, 0, {200 * kMs, 260 * kMs, 0, 20000});
  EXPECT_EQ(admitted(admission, 400 * kMs), 6) << "20,000 served and none lost: forgiven";
}

TEST_F(AdmissionTest, BelievesTheOneQueueThatIsLeft) {
  world_.context.serving.queue = QueueScope::kWorker;
  Plan plan = world_.plan({2});
  plan.modules[0].workers = 2;
  Admission admission(world_.context, params_);
  admission.on_plan(plan);
  const std::vector<QueueView> two = {{3}, {5}};
  admission.on_queues(0, two);
  admission.route(0, 0, two);
  admission.on_queues(0, std::vector<QueueView>{{5}});
  admission.on_report(0, 5, {10 * kMs, 90 * kMs, 0, 2});
  EXPECT_FALSE(admission.admit(10 * kMs, 89 * kMs)) << "50 ms more than a batch later than the lane says";
  EXPECT_TRUE(admission.admit(10 * kMs, 90 * kMs));
}

}  // namespace
}  // namespace harness
