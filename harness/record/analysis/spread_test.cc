#include "harness/record/analysis/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace harness {
namespace {

// Quantiles of published tables of Student's t, two-sided 95 %, to three decimals.
TEST(Spread, QuantilesOfStudentsTAreThoseOfTheTables) {
  const std::pair<std::size_t, double> quantiles[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},
                                                      {9, 2.262},  {29, 2.045}, {120, 1.980}};
  for (const auto& [freedom, quantile] : quantiles) EXPECT_NEAR(student_t(freedom), quantile, 5e-4);
}

TEST(Spread, QuantilesOfOtherErrorsAreThoseOfTheTables) {
  EXPECT_NEAR(student_t(1, 0.01), 63.657, 5e-4);
  EXPECT_NEAR(student_t(9, 0.001), 4.781, 5e-4);
}

// All of n: the lower end is the p with p^n = error / 2. In between: both tails sum up to half of the error.
TEST(Spread, IntervalsOfSharesAreClopperAndPearsons) {
  EXPECT_NEAR(share_interval(3, 3, 0.05).low, std::cbrt(0.025), 1e-12);
  EXPECT_EQ(share_interval(3, 3, 0.05).high, 1);
  EXPECT_EQ(share_interval(0, 5, 0.05).low, 0);
  EXPECT_NEAR(share_interval(0, 5, 0.05).high, 1 - std::pow(0.025, 0.2), 1e-12);
  const double low = share_interval(1, 3, 0.1).low;
  EXPECT_NEAR(1 - std::pow(1 - low, 3), 0.05, 1e-12);
  const double high = share_interval(1, 3, 0.1).high;
  EXPECT_NEAR(std::pow(1 - high, 3) + 3 * high * std::pow(1 - high, 2), 0.05, 1e-12);
}

TEST(Spread, SpreadOfThreeValues) {
  const Spread spread = spread_of(std::vector<double>{1, 2, 3});
  EXPECT_EQ(spread.n, 3u);
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_DOUBLE_EQ(spread.deviation, 1);
  EXPECT_NEAR(spread.half_width, 4.30265 / std::sqrt(3.0), 1e-4);
}

TEST(Spread, OneValueHasAMeanAndNoInterval) {
  const Spread spread = spread_of(std::vector<double>{7, kNoValue});
  EXPECT_EQ(spread.n, 1u);
  EXPECT_EQ(spread.mean, 7);
  EXPECT_TRUE(std::isnan(spread.deviation));
  EXPECT_TRUE(std::isnan(spread.half_width));
  EXPECT_TRUE(std::isnan(spread_of({}).mean));
}

}  // namespace
}  // namespace harness
