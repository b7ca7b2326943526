#include "systems/reserve/batch_shape.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/core/test_time.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

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
