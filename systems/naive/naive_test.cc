#include "systems/naive/naive.h"

#include <gtest/gtest.h>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

class NaiveTest : public testing::Test {
 protected:
  NaiveTest() { driver_.plan(0, world_.plan({3})); }

  TestWorld world_{{linear_profile(10, 5, 8)}, 50 * kMs, 1};
  std::unique_ptr<System> system_ = make_naive();
  SchedulerDriver driver_{system_->make_scheduler(world_.context, 0, 0), world_.context};
};

TEST_F(NaiveTest, ServesInOrderOfArrivalUpToTheCap) {
  driver_.add(0, 0);
  EXPECT_EQ(driver_.arrive(0, 9, 0), "join 0<9; launch 0");
  driver_.started(0, 0, 15 * kMs);
  EXPECT_EQ(driver_.arrive(kMs, 5, 0), "join 0<5");
  EXPECT_EQ(driver_.arrive(kMs, 7, 0), "join 0<7");
  EXPECT_EQ(driver_.arrive(kMs, 1, 0), "join 0<1");
  EXPECT_EQ(driver_.arrive(kMs, 3, 0), "");
  EXPECT_EQ(driver_.free(15 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_.started(15 * kMs, 0, 40 * kMs, 3), "join 0<3");
}

TEST_F(NaiveTest, NeverDropsWhateverTheDeadline) {
  EXPECT_EQ(driver_.arrive(49 * kMs, 1, 0), "");
  EXPECT_EQ(driver_.arrive(500 * kMs, 2, 0), "");
  EXPECT_EQ(driver_.add(1000 * kMs, 0), "join 0<1; join 0<2; launch 0");
}

TEST_F(NaiveTest, HasNoParametersNoControllerAndTheDefaultRouter) {
  ParamList params;
  system_->list(params);
  EXPECT_TRUE(params.params().empty());
  EXPECT_EQ(system_->make_controller(world_.context, 0), nullptr);
  EXPECT_FALSE(system_->make_router(world_.context, 0)->needs_outstanding());
}

}  // namespace
}  // namespace harness
