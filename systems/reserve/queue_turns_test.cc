#include "systems/reserve/queue_turns.h"

#include <gtest/gtest.h>

#include "harness/core/test_time.h"

namespace harness {
namespace {

TEST(QueueTurns, FillsOneQueueAfterTheOther) {
  QueueTurns turns;
  const std::vector<QueueView> queues = {{3}, {5}};
  turns.keep(queues);
  const auto latency_ns = [](int size) { return (10 + 10 * size) * kMs; };
  const BatchShape shape{2, 30 * kMs};
  const auto choose = [&](TimeNs now_ms) { return turns.choose(now_ms * kMs, queues, shape, latency_ns); };
  EXPECT_EQ(choose(0), 0u);
  EXPECT_EQ(choose(0), 0u) << "a batch of two from 0 ends at 30";
  EXPECT_EQ(choose(0), 1u) << "the first is full";
  EXPECT_EQ(choose(1), 0u) << "two from 1 would end after 30, so the batch of one goes alone; 0 is free next";
  turns.on_report(3, 90 * kMs, true);
  EXPECT_EQ(choose(40), 1u) << "the first is late";
  EXPECT_EQ(turns.next_ns(40 * kMs), 70 * kMs);
}

/// Two queues, each of a worker that takes 30 ms for a batch of one.
class TwoQueues : public ::testing::Test {
 protected:
  TwoQueues() { turns_.keep(two_); }
  void choose() {
    turns_.choose(0, two_, {1, 30 * kMs}, [](int) { return 30 * kMs; });
  }

  const std::vector<QueueView> two_ = {{3}, {5}};
  QueueTurns turns_;
};

TEST_F(TwoQueues, ForgottenWhenTheyAreGone) {
  choose();
  turns_.keep(std::vector<QueueView>{{3}});
  EXPECT_EQ(turns_.next_ns(0), 30 * kMs) << "the idle one does not count any more";
  turns_.on_report(5, 10 * kMs, true);
  EXPECT_EQ(turns_.next_ns(0), 30 * kMs) << "nor what it said on its way out";
}

TEST_F(TwoQueues, BelievedWhenTheyAreEarlierUnlessVisitsAreOnTheirWay) {
  choose();
  choose();
  turns_.on_report(5, 10 * kMs, true);
  EXPECT_EQ(turns_.next_ns(0), 30 * kMs) << "its last visit is on its way";
  turns_.on_report(3, 10 * kMs, false);
  EXPECT_EQ(turns_.next_ns(0), 30 * kMs) << "so may be others";
  turns_.on_report(3, 10 * kMs, true);
  EXPECT_EQ(turns_.next_ns(0), 10 * kMs);
}

}  // namespace
}  // namespace harness
