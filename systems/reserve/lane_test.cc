#include "systems/reserve/lane.h"

#include <gtest/gtest.h>

#include "harness/core/test_time.h"

namespace harness {
namespace {

TEST(Lane, FillsABatchUntilItStartsAndSpacesTheNext) {
  Lane lane;
  lane.set({2, 30 * kMs}, 3);  // a batch every 10 ms
  const auto take = [&lane](TimeNs ready_ms) {
    const Lane::Place place = lane.find(ready_ms * kMs);
    lane.reserve(place, 1);
    return place.start_ns / kMs;
  };
  EXPECT_EQ(take(5), 5) << "nothing runs";
  EXPECT_EQ(take(5), 5) << "ready when it starts";
  EXPECT_EQ(take(5), 15) << "the first is full";
  EXPECT_EQ(take(14), 15);
  EXPECT_EQ(take(15), 25);
  EXPECT_EQ(take(26), 35) << "the batch of 25 has started, and the next has its turn at 35";
  EXPECT_EQ(take(70), 70) << "idle by then";
}

TEST(Lane, CountsASharePerRequestWhereNotAllCome) {
  Lane lane;
  lane.set({2, 30 * kMs}, 3);
  lane.reserve(lane.find(0), 0.5);
  lane.reserve(lane.find(0), 0.5);
  lane.reserve(lane.find(0), 0.5);
  EXPECT_FALSE(lane.find(0).opens) << "one and a half of two";
  lane.reserve(lane.find(0), 0.5);
  EXPECT_TRUE(lane.find(0).opens);
}

TEST(Lane, BooksNoMoreThanItCanCarryWhereSharesDoNotDivide) {
  Lane lane;
  lane.set({1, 30 * kMs}, 3);
  for (int i = 0; i < 1000; ++i) lane.reserve(lane.find(0), 0.3);  // 300 visits
  EXPECT_GE(lane.find(0).start_ns, 299 * 10 * kMs);
}

TEST(Lane, TellsWhenOneMoreWouldStart) {
  Lane lane;
  lane.set({2, 30 * kMs}, 3);
  EXPECT_EQ(lane.start_at(7 * kMs), 7 * kMs) << "empty";
  for (int i = 0; i < 4; ++i) lane.reserve(lane.find(5 * kMs), 1);  // at 5 and at 15
  EXPECT_EQ(lane.start_at(4 * kMs), 4 * kMs) << "nobody had come";
  EXPECT_EQ(lane.start_at(6 * kMs), 25 * kMs) << "both are full";
  EXPECT_EQ(lane.start_at(16 * kMs), 25 * kMs) << "all have started; one spacing after the last";
  EXPECT_EQ(lane.start_at(90 * kMs), 90 * kMs);
}

}  // namespace
}  // namespace harness
