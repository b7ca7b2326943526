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
  for (const auto& [freedom, quantile] : quantiles) EXPECT_NEAR(student_t_95(freedom), quantile, 5e-4);
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
