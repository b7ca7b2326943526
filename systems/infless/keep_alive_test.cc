#include "systems/infless/keep_alive.h"

#include <gtest/gtest.h>

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

// (100 + 100) / 2, (100 + 20) / 2, 100 alone, nothing.
TEST(IdleTimes, HalfOfTheDayAndHalfOfTheHour) {
  IdleTimes times;
  EXPECT_EQ(times.keep_alive_ns(0, 300 * kNsPerS), 300 * kNsPerS);
  times.add(0, 100 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(kHour, 300 * kNsPerS), 100 * kNsPerS);
  times.add(kHour, 20 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(kHour + 1, 300 * kNsPerS), 60 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(3 * kHour, 300 * kNsPerS), 100 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(25 * kHour, 300 * kNsPerS), 20 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(25 * kHour + 1, 300 * kNsPerS), 300 * kNsPerS);
}

}  // namespace
}  // namespace harness
