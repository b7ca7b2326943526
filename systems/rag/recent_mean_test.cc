#include "systems/rag/recent_mean.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(RecentMean, WeighsTheNewestMostAndForgets) {
  RecentMean mean(3);
  EXPECT_DOUBLE_EQ(mean.mean_or(7), 7);
  mean.add(10, 1);
  EXPECT_DOUBLE_EQ(mean.mean_or(7), 10);
  mean.add(40, 2);  // weights 2 and 3: (2 x 10 + 3 x 40) / (2 x 1 + 3 x 2)
  EXPECT_DOUBLE_EQ(mean.mean_or(7), 140.0 / 8);
  mean.add(0, 0);
  mean.add(0, 0);
  mean.add(0, 0);
  EXPECT_DOUBLE_EQ(mean.mean_or(7), 7) << "nothing within the window";
}

}  // namespace
}  // namespace harness
