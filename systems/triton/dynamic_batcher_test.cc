// The dynamic batcher's rules one by one, in cases computed by hand. Batches hold up to 8 unless a test says
// otherwise; times are in microseconds in the tests and in nanoseconds in "wake".
#include "systems/triton/dynamic_batcher.h"

#include <gtest/gtest.h>

#include "harness/core/param_error.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

class DynamicBatcherTest : public testing::Test {
 protected:
  /// Makes the batcher anew with one idle instance.
  void make(const TritonParams& params) {
    driver_ = std::make_unique<SchedulerDriver>(
        std::make_unique<BatchingScheduler<DynamicBatcher>>(world_.context, 0, params), world_.context);
    driver_->plan(0, world_.plan({8}));
    ASSERT_EQ(driver_->add(0, 0), "");
  }
  /// Makes the batcher anew with one instance, which runs a batch until the test says otherwise.
  void make_busy(const TritonParams& params) {
    make(params);
    const std::string said = driver_->arrive(0, 99, 0);
    ASSERT_EQ(said.starts_with("wake") ? driver_->timer(params.max_queue_delay_us * kNsPerUs) : said,
              "join 0<99; launch 0");
  }
  /// Lets the visits first..last arrive together while the instance runs.
  void arrive(TimeNs now, VisitId first, VisitId last) {
    for (VisitId id = first; id <= last; ++id) ASSERT_EQ(driver_->arrive(now, id, 0), "");
  }
  /// Ends the instance's batch.
  std::string free(TimeNs now) {
    driver_->started(now, 0, now);
    return driver_->free(now, 0);
  }

  TestWorld world_{{linear_profile(10, 5, 8)}, 1000 * kMs, 2};
  std::unique_ptr<SchedulerDriver> driver_;
};

TEST_F(DynamicBatcherTest, ByDefaultSendsAtOnceWhatWaitsUpToTheMaximum) {
  make_busy({});
  arrive(100 * kNsPerUs, 1, 3);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; join 0<2; join 0<3; launch 0");
  arrive(300 * kNsPerUs, 4, 12);
  EXPECT_EQ(free(400 * kNsPerUs),
            "join 0<4; join 0<5; join 0<6; join 0<7; join 0<8; join 0<9; join 0<10; join 0<11; launch 0");
  EXPECT_EQ(free(500 * kNsPerUs), "join 0<12; launch 0");
  EXPECT_EQ(free(600 * kNsPerUs), "");
}

TEST_F(DynamicBatcherTest, TakesTheSmallerOfItsMaximumAndThePlans) {
  make_busy({.max_batch_size = 2});
  arrive(100 * kNsPerUs, 1, 3);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; join 0<2; launch 0");
  make_busy({.max_batch_size = 100});
  arrive(100 * kNsPerUs, 1, 9);
  EXPECT_EQ(free(200 * kNsPerUs),
            "join 0<1; join 0<2; join 0<3; join 0<4; join 0<5; join 0<6; join 0<7; join 0<8; launch 0");
}

TEST_F(DynamicBatcherTest, WithoutItRunsEachRequestAloneAndHasNoQueuePolicy) {
  make_busy(
      {.dynamic_batching = false, .preferred_batch_size = "2", .max_queue_size = 1, .default_timeout_us = 1});
  arrive(100 * kNsPerUs, 1, 3);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; launch 0");
  EXPECT_EQ(free(300 * kNsPerUs), "join 0<2; launch 0");
}

// The documentation's example: preferred_batch_size: [ 4, 8 ].
TEST_F(DynamicBatcherTest, SendsTheLargestPreferredSizeThatCanBeHad) {
  make_busy({.preferred_batch_size = "4, 8"});
  arrive(100 * kNsPerUs, 1, 6);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; join 0<2; join 0<3; join 0<4; launch 0");
  // No preferred size can be had from two: they go as they are.
  EXPECT_EQ(free(300 * kNsPerUs), "join 0<5; join 0<6; launch 0");
}

TEST_F(DynamicBatcherTest, IgnoresPreferredSizesAboveTheMaximum) {
  make_busy({.max_batch_size = 3, .preferred_batch_size = "8,2, 4"});
  arrive(100 * kNsPerUs, 1, 3);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; join 0<2; launch 0");
  // If none is left the maximum is the preferred size, as if no size was given.
  make_busy({.max_batch_size = 3, .preferred_batch_size = "4", .max_queue_delay_us = 100});
  arrive(200 * kNsPerUs, 1, 2);
  EXPECT_EQ(free(220 * kNsPerUs), "wake 300000");
  EXPECT_EQ(driver_->arrive(230 * kNsPerUs, 3, 0), "join 0<1; join 0<2; join 0<3; launch 0");
}

// The documentation's example: max_queue_delay_microseconds: 100.
TEST_F(DynamicBatcherTest, WaitsUntilTheOldestRequestHasWaitedForTheDelay) {
  make({.max_queue_delay_us = 100});
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1100000");
  EXPECT_EQ(driver_->arrive(1060 * kNsPerUs, 2, 0), "wake 1100000");
  EXPECT_EQ(driver_->timer(1099 * kNsPerUs), "wake 1100000");
  EXPECT_EQ(driver_->timer(1100 * kNsPerUs), "join 0<1; join 0<2; launch 0");
}

TEST_F(DynamicBatcherTest, SendsAFullBatchBeforeTheDelayIsOver) {
  make({.max_batch_size = 2, .max_queue_delay_us = 100});
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1100000");
  EXPECT_EQ(driver_->arrive(1030 * kNsPerUs, 2, 0), "join 0<1; join 0<2; launch 0");
}

TEST_F(DynamicBatcherTest, SendsAPreferredSizeBeforeTheDelayIsOver) {
  make({.preferred_batch_size = "2", .max_queue_delay_us = 100});
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1100000");
  EXPECT_EQ(driver_->arrive(1030 * kNsPerUs, 2, 0), "join 0<1; join 0<2; launch 0");
  // Three wait for less than the delay: two go, the third waits for another one.
  arrive(1100 * kNsPerUs, 3, 5);
  EXPECT_EQ(free(1150 * kNsPerUs), "join 0<3; join 0<4; launch 0");
  EXPECT_EQ(free(1160 * kNsPerUs), "wake 1200000");
}

// Code: once the delay is over, preferred sizes no longer count.
TEST_F(DynamicBatcherTest, SendsAllThatWaitsOnceTheDelayIsOver) {
  make_busy({.preferred_batch_size = "4", .max_queue_delay_us = 100});
  arrive(200 * kNsPerUs, 1, 6);
  EXPECT_EQ(free(300 * kNsPerUs), "join 0<1; join 0<2; join 0<3; join 0<4; join 0<5; join 0<6; launch 0");
}

// While all instances are busy requests gather, and their delay runs.
TEST_F(DynamicBatcherTest, CountsTheDelayFromArrivalAlsoWhileNoInstanceIsFree) {
  make_busy({.max_queue_delay_us = 100});
  arrive(200 * kNsPerUs, 1, 1);
  arrive(290 * kNsPerUs, 2, 2);
  EXPECT_EQ(free(350 * kNsPerUs), "join 0<1; join 0<2; launch 0");
}

// An instance that falls free during a delay stays idle; the batch goes to one of those that are free then.
TEST_F(DynamicBatcherTest, LeavesInstancesIdleDuringTheDelay) {
  make_busy({.max_queue_delay_us = 100});
  EXPECT_EQ(driver_->add(200 * kNsPerUs, 1), "");
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1100000");
  EXPECT_EQ(free(1050 * kNsPerUs), "wake 1100000");
  EXPECT_EQ(driver_->timer(1100 * kNsPerUs), "join 0<1; launch 0");
}

TEST_F(DynamicBatcherTest, RefusesARequestThatFindsTheQueueFull) {
  make_busy({.max_queue_size = 2});
  arrive(100 * kNsPerUs, 1, 2);
  EXPECT_EQ(driver_->arrive(110 * kNsPerUs, 3, 0), "drop 3 overload");
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; join 0<2; launch 0");
  arrive(210 * kNsPerUs, 4, 4);
}

TEST_F(DynamicBatcherTest, RejectsWhatHasWaitedLongerThanItsTimeoutWhenItLooksAtIt) {
  make_busy({.max_queue_size = 2, .default_timeout_us = 50});
  arrive(100 * kNsPerUs, 1, 1);
  arrive(120 * kNsPerUs, 2, 2);
  // The first has timed out, but nobody has looked: it still takes a place in the queue.
  EXPECT_EQ(driver_->arrive(160 * kNsPerUs, 3, 0), "drop 3 overload");
  EXPECT_EQ(free(170 * kNsPerUs), "drop 1 expired; join 0<2; launch 0") << "50 us are not longer than 50 us";
}

TEST_F(DynamicBatcherTest, MayRejectEverything) {
  make_busy({.default_timeout_us = 50});
  arrive(100 * kNsPerUs, 1, 2);
  EXPECT_EQ(free(200 * kNsPerUs), "drop 1 expired; drop 2 expired");
  EXPECT_EQ(driver_->arrive(300 * kNsPerUs, 3, 0), "join 0<3; launch 0");
}

TEST_F(DynamicBatcherTest, DelaysWhatHasTimedOutBehindTheOthers) {
  make_busy({.max_batch_size = 2, .default_timeout_us = 50, .timeout_action = TimeoutAction::kDelay});
  arrive(100 * kNsPerUs, 1, 2);
  arrive(190 * kNsPerUs, 3, 3);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<3; join 0<1; launch 0");
  arrive(210 * kNsPerUs, 4, 5);
  EXPECT_EQ(free(220 * kNsPerUs), "join 0<4; join 0<5; launch 0") << "later requests overtake it";
  EXPECT_EQ(free(230 * kNsPerUs), "join 0<2; launch 0");
}

TEST_F(DynamicBatcherTest, CountsDelayedRequestsInTheQueueAndCanForgetThem) {
  make_busy({.max_batch_size = 1,
             .max_queue_size = 2,
             .default_timeout_us = 50,
             .timeout_action = TimeoutAction::kDelay});
  arrive(100 * kNsPerUs, 1, 2);
  EXPECT_EQ(free(200 * kNsPerUs), "join 0<1; launch 0");
  arrive(210 * kNsPerUs, 3, 3);
  EXPECT_EQ(driver_->arrive(220 * kNsPerUs, 4, 0), "drop 4 overload");
  EXPECT_EQ(driver_->cancel(230 * kNsPerUs, 2), "");
  EXPECT_EQ(free(240 * kNsPerUs), "join 0<3; launch 0");
  EXPECT_EQ(free(250 * kNsPerUs), "");
}

// A timeout within the delay: without more requests one alone is never served.
TEST_F(DynamicBatcherTest, RejectsDuringADelayAsSoonAsATimeoutIsOver) {
  make({.max_batch_size = 3, .max_queue_delay_us = 100, .default_timeout_us = 50});
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1050001");
  EXPECT_EQ(driver_->arrive(1030 * kNsPerUs, 2, 0), "wake 1050001");
  EXPECT_EQ(driver_->timer(1050 * kNsPerUs + 1), "drop 1 expired; wake 1080001");
  EXPECT_EQ(driver_->arrive(1060 * kNsPerUs, 3, 0), "wake 1080001");
  EXPECT_EQ(driver_->arrive(1070 * kNsPerUs, 4, 0), "join 0<2; join 0<3; join 0<4; launch 0");
}

// A delayed request is the oldest of its batch: the delay counts from its arrival.
TEST_F(DynamicBatcherTest, CountsTheDelayOfDelayedRequestsToo) {
  make({.max_queue_delay_us = 100, .default_timeout_us = 50, .timeout_action = TimeoutAction::kDelay});
  EXPECT_EQ(driver_->arrive(1000 * kNsPerUs, 1, 0), "wake 1050001");
  EXPECT_EQ(driver_->timer(1050 * kNsPerUs + 1), "wake 1100000");
  EXPECT_EQ(driver_->arrive(1060 * kNsPerUs, 2, 0), "wake 1100000");
  EXPECT_EQ(driver_->timer(1100 * kNsPerUs), "join 0<2; join 0<1; launch 0");
}

TEST(TritonParams, ReadPreferredSizes) {
  const auto sizes = [](const char* text) {
    return TritonParams{.preferred_batch_size = text}.preferred_sizes();
  };
  EXPECT_EQ(sizes(""), std::vector<int>{});
  EXPECT_EQ(sizes(" 8 ,4,8"), (std::vector<int>{4, 8}));
  for (const char* wrong : {"0", "-1", "4 8", "4;8", "four", "4.5", ",", "4,,8", " ", "99999999999"})
    EXPECT_THROW(sizes(wrong), ParamError) << wrong;
}

}  // namespace
}  // namespace harness
