#include "systems/clipperpp/aimd_limit.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(AimdLimit, GrowsOnFullBatchesOnlyAndNeverBeyondTheCap) {
  AimdLimit limit(1, 0.1);
  limit.set_most(3);
  EXPECT_EQ(limit.limit(), 1);
  limit.on_batch(1, 10, 10);
  EXPECT_EQ(limit.limit(), 2) << "latency at the budget is within it";
  limit.on_batch(1, 10, 10);
  EXPECT_EQ(limit.limit(), 2) << "not full";
  limit.on_batch(2, 10, 10);
  limit.on_batch(3, 10, 10);
  EXPECT_EQ(limit.limit(), 3) << "the planned cap";
}

TEST(AimdLimit, BacksOffByTenPercentAndNotBelowOne) {
  AimdLimit limit(19, 0.1);
  limit.set_most(20);
  limit.on_batch(1, 5, 10);
  EXPECT_EQ(limit.limit(), 20);
  limit.on_batch(20, 11, 10);
  EXPECT_EQ(limit.limit(), 18);
  limit.on_batch(1, 11, 10);
  EXPECT_EQ(limit.limit(), 16) << "16.2: any batch over the budget counts, full or not";
  for (int i = 0; i < 100; ++i) limit.on_batch(1, 11, 10);
  EXPECT_EQ(limit.limit(), 1);
}

TEST(AimdLimit, ASmallerPlanCutsIt) {
  AimdLimit limit(64, 0.1);
  limit.set_most(32);
  limit.on_batch(1, 1, 10);
  EXPECT_EQ(limit.limit(), 32);
  limit.set_most(8);
  EXPECT_EQ(limit.limit(), 8);
}

}  // namespace
}  // namespace harness
