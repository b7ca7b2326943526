#include "systems/infless/idle_histogram.h"

#include <gtest/gtest.h>

#include "harness/core/types.h"

namespace harness {
namespace {

constexpr TimeNs kHour = 3600 * kNsPerS;

// By hand: 99 of 100 are within 2 s, then of 101 one more than a hundredth is longer.
TEST(IdleHistogram, GivesThe99thPercentileInWholeSeconds) {
  IdleHistogram histogram(kHour);
  for (int i = 0; i < 50; ++i) histogram.add(i, kNsPerS);
  EXPECT_EQ(histogram.percentile_99_ns(), kNsPerS);
  for (int i = 50; i < 99; ++i) histogram.add(i, kNsPerS + 1);
  histogram.add(99, 30 * kNsPerS);
  EXPECT_EQ(histogram.percentile_99_ns(), 2 * kNsPerS);
  histogram.add(100, 40 * kNsPerS);
  EXPECT_EQ(histogram.percentile_99_ns(), 30 * kNsPerS);
  histogram.add(101, 99 * kHour);
  histogram.add(102, 99 * kHour);
  EXPECT_EQ(histogram.percentile_99_ns(), 4 * kHour);
}

TEST(IdleHistogram, ForgetsWhatEndedBeforeItsWindow) {
  IdleHistogram histogram(kHour);
  histogram.add(0, 50 * kNsPerS);
  histogram.add(10 * kNsPerS, 5 * kNsPerS);
  histogram.forget(kHour);
  EXPECT_EQ(histogram.percentile_99_ns(), 50 * kNsPerS);
  histogram.forget(kHour + 1);
  EXPECT_EQ(histogram.percentile_99_ns(), 5 * kNsPerS);
  histogram.forget(2 * kHour);
  EXPECT_TRUE(histogram.empty());
}

}  // namespace
}  // namespace harness
