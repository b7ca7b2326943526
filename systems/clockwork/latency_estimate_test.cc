#include "systems/clockwork/latency_estimate.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/core/types.h"

namespace harness {
namespace {

TEST(LatencyEstimate, IsTheProfilesUntilThereAreEnough) {
  LatencyEstimate estimate(100, 10, 99);
  for (int i = 1; i <= 9; ++i) {
    estimate.add(i);
    EXPECT_EQ(estimate.ns(), 100);
  }
  estimate.add(5);
  EXPECT_EQ(estimate.ns(), 9);
}

// Of ten values the nearest rank of 99 % is the tenth: the largest, until ten more have come.
TEST(LatencyEstimate, KeepsAnOutlierForTenBatches) {
  LatencyEstimate estimate(100, 10, 99);
  for (int i = 0; i < 10; ++i) estimate.add(20);
  estimate.add(50);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(estimate.ns(), 50);
    estimate.add(20);
  }
  EXPECT_EQ(estimate.ns(), 50);
  estimate.add(20);
  EXPECT_EQ(estimate.ns(), 20);
}

TEST(LatencyEstimate, TakesTheNearestRank) {
  const std::vector<std::pair<double, TimeNs>> of_one_to_ten{{0, 1},  {10, 1},  {11, 2},  {50, 5},
                                                             {90, 9}, {91, 10}, {100, 10}};
  for (const auto& [percentile, expected] : of_one_to_ten) {
    LatencyEstimate estimate(100, 10, percentile);
    for (const TimeNs took : {7, 3, 10, 1, 9, 5, 2, 8, 6, 4}) estimate.add(took);
    EXPECT_EQ(estimate.ns(), expected) << percentile;
  }
}

}  // namespace
}  // namespace harness
