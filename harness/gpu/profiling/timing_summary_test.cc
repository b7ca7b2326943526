#include "harness/gpu/profiling/timing_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

// P(Bin(n, 1/2) <= k) by Pascal's triangle.
double at_most(std::size_t n, std::size_t k) {
  std::vector<double> row = {1};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1, 0.0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      next[j] += row[j] / 2;
      next[j + 1] += row[j] / 2;
    }
    row = std::move(next);
  }
  double sum = 0;
  for (std::size_t j = 0; j <= k; ++j) sum += row[j];
  return sum;
}

// Conover, Practical Nonparametric Statistics, gives the 2nd and the 9th of 10 values, the 6th and the 15th
// of 20, the 40th and the 61st of 100.
TEST(MedianRanks, AreThoseOfTheTables) {
  EXPECT_FALSE(median_ranks(0));
  EXPECT_FALSE(median_ranks(1));
  EXPECT_FALSE(median_ranks(5));
  const std::size_t known[][3] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {100, 40, 61}};
  for (const auto& [n, low, high] : known) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, low) << n;
    EXPECT_EQ(ranks->high, high) << n;
  }
}

TEST(MedianRanks, AreTheNarrowestThatReachTheLevel) {
  for (std::size_t n = 6; n <= 400; ++n) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks);
    EXPECT_EQ(ranks->low + ranks->high, n + 1);
    EXPECT_LE(2 * at_most(n, ranks->low - 1), 0.05 + 1e-12) << n;
    EXPECT_GT(2 * at_most(n, ranks->low), 0.05) << n;
  }
}

TEST(TimingSummary, IsComputedByHand) {
  // 10, 20, ..., 100: the middle two are 50 and 60; the 2nd and the 9th are 20 and 90.
  const std::vector<TimeNs> times = {100, 20, 30, 90, 50, 60, 70, 80, 40, 10};
  const TimingSummary summary = summary_of(times);
  EXPECT_EQ(summary.repeats, 10U);
  EXPECT_EQ(summary.median_ns, 55);
  EXPECT_EQ(summary.p10_ns, 10);
  EXPECT_EQ(summary.p90_ns, 90);
  EXPECT_EQ(summary.p99_ns, 100);
  EXPECT_EQ(summary.mean_ns, 55);
  ASSERT_TRUE(summary.half_width_ns);
  EXPECT_EQ(*summary.half_width_ns, 35);
  EXPECT_DOUBLE_EQ(summary.half_width_share(), 35.0 / 55);
  EXPECT_EQ(median_of(std::vector<TimeNs>{7, 1, 4}), 4);
}

TEST(TimingSummary, KnowsNothingOfTheIntervalOfFiveValues) {
  const TimingSummary summary = summary_of(std::vector<TimeNs>{5, 5, 5, 5, 5});
  EXPECT_FALSE(summary.half_width_ns);
  EXPECT_TRUE(std::isinf(summary.half_width_share()));
}

// The true median of 1 ms x (1 + 0.2 E), E exponential, is 1 ms x (1 + 0.2 ln 2): skewed, as latencies are.
// Of 1,000 intervals each covers it with P >= 0.95; fewer than 925 have a probability below 2e-4
// (binomial, 3.6 standard deviations).
TEST(TimingSummary, CoversTheTrueMedianInNinetyFivePercentOfTheRuns) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{37}, std::size_t{200}}) {
    RandomStream random(n, "skewed latencies");
    const double median = 1e6 * (1 + 0.2 * std::log(2.0));
    const auto ranks = median_ranks(n);
    const double promised = 1 - 2 * at_most(n, ranks->low - 1);
    int covered = 0;
    for (int run = 0; run < 1000; ++run) {
      std::vector<TimeNs> times(n);
      for (TimeNs& time : times) time = static_cast<TimeNs>(1e6 * (1 + 0.2 * random.exponential()));
      std::sort(times.begin(), times.end());
      const auto low = static_cast<double>(times[ranks->low - 1]);
      const auto high = static_cast<double>(times[ranks->high - 1]);
      if (low <= median && median <= high) ++covered;
      EXPECT_EQ(summary_of(times).half_width_ns, (times[ranks->high - 1] - times[ranks->low - 1] + 1) / 2);
    }
    const double deviation = std::sqrt(1000 * promised * (1 - promised));
    EXPECT_NEAR(covered, 1000 * promised, 3.6 * deviation) << n;
  }
}

}  // namespace

}  // namespace harness
