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
  EXPECT_EQ(timetable_.longest_ns(), 60 * kMs);
  EXPECT_EQ(timetable_.spacings_ns(), 30 * kMs);
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
  EXPECT_EQ(timetable.longest_ns(), 90 * kMs);
  EXPECT_FALSE(timetable.reserve(0, 90 * kMs - 1, 0));
  EXPECT_TRUE(timetable.reserve(0, 90 * kMs, 0));
  EXPECT_EQ(timetable.lane(3).find(0).start_ns, 90 * kMs) << "its one worker has the first at 80";
}

}  // namespace
}  // namespace harness
