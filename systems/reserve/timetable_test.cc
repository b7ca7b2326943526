// Timetables by hand. Batches of the module: 20 ms for one visit, 30 ms for two.
#include "systems/reserve/timetable.h"

#include <gtest/gtest.h>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

Plan with_workers(Plan plan, std::vector<int> workers) {
  for (std::size_t m = 0; m < workers.size(); ++m) plan.modules[m].workers = workers[m];
  return plan;
}

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

// Two modules in a chain, 30 ms each for two visits; two workers: a batch every 15 ms. Requests have 80 ms
// left.
class TimetableTest : public ::testing::Test {
 protected:
  TestWorld world_{{linear_profile(10, 10, 2), linear_profile(10, 10, 2)}, 120 * kMs, 4};
  Plan plan_ = with_workers(world_.plan({2, 2}), {2, 2});
  Timetable timetable_{world_.context, plan_};

  bool reserve(TimeNs margin_ns = 0) { return timetable_.reserve(0, 80 * kMs, margin_ns); }
};

TEST_F(TimetableTest, AdmitsWhatEndsInTimeAndReservesNothingForOthers) {
  EXPECT_EQ(timetable_.least_ns(), 60 * kMs);
  EXPECT_EQ(timetable_.gaps_ns(), 30 * kMs);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(reserve()) << i;  // end at 60, 60, 75, 75
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(reserve()) << "would end at 90";
  EXPECT_EQ(timetable_.lane(0).find(0).start_ns, 30 * kMs);
  EXPECT_TRUE(timetable_.reserve(15 * kMs, 95 * kMs, 0)) << "ends at 90";
}

TEST_F(TimetableTest, KeepsAMargin) {
  EXPECT_TRUE(reserve(20 * kMs));
  EXPECT_FALSE(reserve(20 * kMs + 1)) << "59.999999 ms left for 60";
}

TEST_F(TimetableTest, CountsADelayOfAModuleAndWorkersThatAreGone) {
  timetable_.set_delay(1, 0, 20 * kMs);
  EXPECT_TRUE(reserve());
  timetable_.set_delay(1, 0, 20 * kMs + 1);
  EXPECT_FALSE(reserve());
  timetable_.set_delay(1, 0, 0);
  timetable_.set_plan(with_workers(plan_, {1, 1}));
  EXPECT_TRUE(reserve()) << "the place that is left";
  EXPECT_FALSE(reserve()) << "one worker starts its next batch at 30";
}

TEST(Timetable, WaitsForAllBranchesAtAMerge) {
  // 0 -> 1, 2 -> 3; the branch 1 takes 30 ms, the branch 2 takes 70.
  TestWorld world({profile_of_ms({10}), profile_of_ms({30}), profile_of_ms({70}), profile_of_ms({10})},
                  90 * kMs, 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  Timetable timetable(world.context, world.plan({1, 1, 1, 1}));
  EXPECT_EQ(timetable.least_ns(), 90 * kMs);
  EXPECT_FALSE(timetable.reserve(0, 90 * kMs - 1, 0));
  EXPECT_TRUE(timetable.reserve(0, 90 * kMs, 0));
  EXPECT_EQ(timetable.lane(3).find(0).start_ns, 90 * kMs) << "its one worker has the first at 80";
}

TEST(BatchShapes, AreTheSmallestThatReachTheRate) {
  // The first module is the bottleneck: two visits in 30 ms. The second reaches that rate with batches of
  // one.
  TestWorld world({linear_profile(10, 10, 4), profile_of_ms({10, 15, 20, 25})}, 100 * kMs, 2);
  const Plan plan = world.plan({2, 4});
  const std::vector<BatchShape> shapes = batch_shapes(world.context, plan);
  EXPECT_EQ(shapes[0].size, 2);
  EXPECT_EQ(shapes[0].exec_ns, 30 * kMs);
  EXPECT_EQ(shapes[1].size, 1);
  EXPECT_EQ(shapes[1].exec_ns, 10 * kMs);
}

TEST(BatchShapes, AreSmallerWhereMostWouldMissTheNext) {
  // Batches of two in 40 ms, of one in 30: two thirds of the rate. Of 68 ms 28 are left to wait for the next
  // batch of two, which comes every 40: 70 %. Of 64 ms it is 60 %, and singles, every 30 ms, reach more.
  for (const auto& [slo_ms, size] : {std::pair{68, 2}, std::pair{64, 1}}) {
    TestWorld world({profile_of_ms({30, 40})}, slo_ms * kMs, 1);
    EXPECT_EQ(batch_shapes(world.context, world.plan({2}))[0].size, size) << slo_ms;
  }
}

TEST(BatchShapes, LastAsLongAsTheLongestUpToTheirSize) {
  TestWorld world({profile_of_ms({12, 10, 11})}, 100 * kMs, 1);  // latencies may fall
  EXPECT_EQ(batch_shapes(world.context, world.plan({3}))[0].exec_ns, 12 * kMs);
}

}  // namespace
}  // namespace harness
