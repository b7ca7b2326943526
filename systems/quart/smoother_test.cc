#include "systems/quart/smoother.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/sim/test_world.h"

namespace harness {
namespace {

std::vector<double> smoothed(const Pipeline& pipeline, double half, const std::vector<double>& demands,
                             const std::vector<double>& cv) {
  std::vector<double> result(demands.size());
  Smoother(pipeline, half).smooth(demands, cv, result);
  return result;
}

TEST(Smoother, ThreeStagesByHand) {
  // CV 1, 3, 0: beta 1/2, 3/4, 0.
  const std::vector<double> y = smoothed(testing::chain(3), 1, {8, 2, 4}, {1, 3, 0});
  EXPECT_DOUBLE_EQ(y[0], 0.5 * 8 + 0.5 * 2);
  EXPECT_DOUBLE_EQ(y[1], 0.75 * 2 + 0.25 * (8 + 4) / 2);
  EXPECT_DOUBLE_EQ(y[2], 2);
}

TEST(Smoother, NeighboursAreThoseBeforeAndBehind) {
  // m0 -> {m1, m2} -> m3, all with beta = 0: the neighbours' mean alone.
  const std::vector<double> y = smoothed(testing::diamond(), 1, {1, 2, 6, 9}, {0, 0, 0, 0});
  EXPECT_EQ(y, (std::vector<double>{4, 5, 5, 4}));
}

TEST(Smoother, EqualDemandsAndSingleStagesStay) {
  EXPECT_EQ(smoothed(testing::chain(3), 1, {5, 5, 5}, {0.5, 1, 7}), (std::vector<double>{5, 5, 5}));
  EXPECT_EQ(smoothed(testing::chain(1), 1, {7}, {0}), (std::vector<double>{7}));
  EXPECT_EQ(smoothed(testing::chain(2), 0, {7, 3}, {0, 0}), (std::vector<double>{7, 3})) << "half = 0";
}

}  // namespace
}  // namespace harness
