#include "harness/gpu/device/segment_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

using Segment = SegmentQueue::Segment;

TEST(SegmentQueue, HasTwoSegmentsOnTheDevice) {
  SegmentQueue queue;
  queue.add(0, 3);
  for (const int index : {0, 1}) {
    EXPECT_EQ(queue.next(), (Segment{0, index}));
    queue.enqueued();
  }
  EXPECT_EQ(queue.next(), std::nullopt);
  EXPECT_EQ(queue.running(), (Segment{0, 0}));
  queue.passed();
  EXPECT_EQ(queue.next(), (Segment{0, 2}));
  queue.enqueued();
  EXPECT_FALSE(queue.finished());
  queue.passed();
  queue.passed();
  ASSERT_TRUE(queue.finished());
  EXPECT_TRUE(queue.finished()->whole);
  EXPECT_EQ(queue.finished()->enqueued, 3);
  queue.remove();
  EXPECT_TRUE(queue.empty());
}

TEST(SegmentQueue, HandsTheNextBatchOverBeforeTheFirstHasEnded) {
  SegmentQueue queue;
  queue.add(1, 1);
  queue.add(0, 1);
  queue.enqueued();
  EXPECT_EQ(queue.next(), (Segment{0, 0})) << "the device needs not wait between two batches";
  queue.enqueued();
  queue.passed();
  EXPECT_EQ(queue.finished()->slot, 1);
  EXPECT_EQ(queue.running(), (Segment{0, 0}));
}

TEST(SegmentQueue, StopsAfterWhatIsEnqueued) {
  SegmentQueue queue;
  queue.add(0, 4);
  queue.add(1, 4);
  queue.enqueued();
  queue.enqueued();
  queue.stop(0);
  EXPECT_EQ(queue.next(), std::nullopt);
  queue.passed();
  EXPECT_EQ(queue.next(), (Segment{1, 0})) << "the freed place is the next batch's";
  queue.passed();
  ASSERT_TRUE(queue.finished());
  EXPECT_FALSE(queue.finished()->whole);
  EXPECT_EQ(queue.finished()->enqueued, 2);
}

TEST(SegmentQueue, StopsWhatHasNotBegunAndNotWhatIsWhollyEnqueued) {
  SegmentQueue queue;
  queue.add(0, 2);
  queue.add(1, 3);
  queue.enqueued();
  queue.enqueued();
  queue.stop(0);
  queue.stop(1);
  queue.passed();
  queue.passed();
  EXPECT_TRUE(queue.finished()->whole) << "too late";
  queue.remove();
  ASSERT_TRUE(queue.finished());
  EXPECT_FALSE(queue.finished()->whole);
  EXPECT_EQ(queue.finished()->enqueued, 0);
  queue.remove();
  queue.stop(1);
  queue.add(1, 1);
  EXPECT_EQ(queue.next(), (Segment{1, 0})) << "the stop was the batch's, not the slot's";
}

// Whichever batches are stopped, and whenever: segments run in order, each once, never more than two ahead,
// and all batches end in the order of submission.
TEST(SegmentQueue, KeepsItsPromisesUnderRandomStops) {
  RandomStream random(3, "segments", 0);
  SegmentQueue queue;
  std::deque<int> submitted;
  std::vector<int> ran(2, 0), segments(2, 0);
  int ahead = 0, ended = 0, stopped = 0;
  while (ended < 2000) {
    const int slot = static_cast<int>(random.below(2));
    const std::uint64_t what = random.below(4);
    if (what == 0 && !queue.has(slot)) {
      segments[static_cast<std::size_t>(slot)] = 1 + static_cast<int>(random.below(6));
      ran[static_cast<std::size_t>(slot)] = 0;
      queue.add(slot, segments[static_cast<std::size_t>(slot)]);
      submitted.push_back(slot);
    } else if (what == 1 && queue.next()) {
      const Segment next = *queue.next();
      ASSERT_EQ(next.index, ran[static_cast<std::size_t>(next.slot)]++);
      queue.enqueued();
      ASSERT_LE(++ahead, SegmentQueue::kMaxAhead);
    } else if (what == 2 && queue.running()) {
      queue.passed();
      --ahead;
    } else if (what == 3 && random.below(8) == 0) {
      queue.stop(slot);
    }
    while (const auto finished = queue.finished()) {
      ASSERT_EQ(finished->slot, submitted.front());
      const auto at = static_cast<std::size_t>(finished->slot);
      ASSERT_EQ(finished->enqueued, ran[at]);
      ASSERT_EQ(finished->whole, ran[at] == segments[at]);
      stopped += finished->whole ? 0 : 1;
      submitted.pop_front();
      queue.remove();
      ++ended;
    }
  }
  EXPECT_GT(stopped, 100);
}

}  // namespace
}  // namespace harness
