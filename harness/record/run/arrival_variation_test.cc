#include "harness/record/run/arrival_variation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace harness {
namespace {

GapTotals gaps_of(const std::vector<double>& gaps_s) {
  GapTotals totals;
  for (const double gap_s : gaps_s) {
    ++totals.count;
    totals.sum_ns += s_to_ns(gap_s);
    totals.squares_ns2 += gap_s * gap_s * 1e18;
  }
  return totals;
}

TEST(ArrivalVariation, VariationIsTheDeviationOverTheMean) {
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({1, 3})), 0.5);  // mean 2, deviation 1
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({2, 2, 2})), 0);
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({0, 0, 0, 4})), std::sqrt(3.0));  // mean 1, variance 3
  EXPECT_TRUE(std::isnan(variation_of(gaps_of({1})))) << "one gap does not vary";
  EXPECT_TRUE(std::isnan(variation_of(gaps_of({0, 0})))) << "all at once";
  EXPECT_TRUE(std::isnan(variation_of({})));
}

TEST(ArrivalVariation, VariationAlongThePipeline) {
  RunRecord record;
  // 0.5, then 0.25, then sqrt(3).
  for (const auto& gaps : {gaps_of({1, 3}), gaps_of({3, 5}), gaps_of({0, 0, 0, 4})})
    record.modules.emplace_back().gaps = gaps;
  const ArrivalVariation variation = arrival_variation(record);
  EXPECT_DOUBLE_EQ(variation.first, 0.5);
  EXPECT_DOUBLE_EQ(variation.last, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(variation.max_over_min, 4 * std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(variation.rising_share, 0.5);
  record.modules[1].gaps = {};  // not counted there, or not visited
  EXPECT_TRUE(std::isnan(arrival_variation(record).first));
}

}  // namespace
}  // namespace harness
