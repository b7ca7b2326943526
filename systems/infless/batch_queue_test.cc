#include "systems/infless/batch_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

/// Batches of 4 in 40 ms with an SLO of 100 ms: the oldest waits for at most 60 ms.
class BatchQueueTest : public ::testing::Test {
 protected:
  std::string wake(TimeNs now) {
    Decisions out;
    queue_->on_timer(now, out);
    return text_of(out);
  }

  TestWorld world_{{linear_profile(0, 10, 8)}, 100 * kMs, 4};
  BatchQueue* queue_ = new BatchQueue(0);  // the driver's
  SchedulerDriver driver_{std::unique_ptr<Scheduler>(queue_), world_.context};
};

TEST_F(BatchQueueTest, ABatchStartsWhenItIsFull) {
  driver_.plan(0, world_.plan({4}));
  driver_.add(0, 0);
  EXPECT_EQ(driver_.arrive(kMs, 1, 0), "wake 61000000");
  EXPECT_EQ(driver_.arrive(2 * kMs, 2, 0), "wake 61000000");
  EXPECT_EQ(driver_.arrive(3 * kMs, 3, 0), "wake 61000000");
  EXPECT_EQ(driver_.arrive(4 * kMs, 4, 0), "join 0<1; join 0<2; join 0<3; join 0<4; launch 0");
}

TEST_F(BatchQueueTest, OrWhenItsOldestRequestMustStart) {
  driver_.plan(0, world_.plan({4}));
  driver_.add(0, 0);
  driver_.arrive(kMs, 1, 0);
  driver_.arrive(2 * kMs, 2, 0);
  driver_.arrive(3 * kMs, 3, 0);
  EXPECT_EQ(wake(60 * kMs), "wake 61000000");
  EXPECT_EQ(driver_.cancel(60 * kMs, 1), "");
  EXPECT_EQ(wake(61 * kMs), "wake 62000000") << "the oldest has gone";
  EXPECT_EQ(wake(62 * kMs), "join 0<2; join 0<3; launch 0");
  // While the instance runs they wait, and longer than the timeout: then nothing waits for a full batch.
  EXPECT_EQ(driver_.arrive(63 * kMs, 4, 0), "");
  EXPECT_EQ(driver_.free(130 * kMs, 0), "join 0<4; launch 0");
  EXPECT_EQ(driver_.arrive(131 * kMs, 5, 0), "");
  EXPECT_EQ(driver_.free(140 * kMs, 0), "wake 191000000");
}

TEST_F(BatchQueueTest, ASingleRequestNeverWaits) {
  driver_.plan(0, world_.plan({1}));
  driver_.add(0, 0);
  EXPECT_EQ(driver_.arrive(kMs, 1, 0), "join 0<1; launch 0");
  driver_.arrive(2 * kMs, 2, 0);
  EXPECT_EQ(driver_.add(3 * kMs, 1), "join 1<2; launch 1");
}

TEST_F(BatchQueueTest, ASmallerBatchMayBeFull) {
  driver_.plan(0, world_.plan({4}));
  driver_.add(0, 0);
  driver_.arrive(kMs, 1, 0);
  driver_.arrive(2 * kMs, 2, 0);
  EXPECT_EQ(driver_.plan(3 * kMs, world_.plan({2})), "join 0<1; join 0<2; launch 0");
}

TEST_F(BatchQueueTest, WhatALostInstanceHadComesFirstAndNoneIsNamedThatIsGone) {
  driver_.plan(0, world_.plan({1}));
  for (const WorkerId worker : {0u, 1u, 2u}) driver_.add(0, worker);
  driver_.drain(0, 2);
  EXPECT_EQ(driver_.arrive(0, 1, 0), "join 1<1; launch 1");
  EXPECT_EQ(driver_.lose(kMs, 1, {1}), "join 0<1; launch 0");
  EXPECT_EQ(driver_.arrive(kMs, 2, 0), "");
}

}  // namespace
}  // namespace harness
