#include "systems/pard/load_band.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(LoadBand, IsZeroUnderASteadyLoad) {
  LoadBand band(5);
  EXPECT_EQ(band.eps(), 0);
  for (int i = 0; i < 10; ++i) {
    band.add(100);
    EXPECT_EQ(band.eps(), 0);
  }
  LoadBand idle(5);
  idle.add(0);
  EXPECT_EQ(idle.eps(), 0);
}

TEST(LoadBand, SumsTheDeviationsFromTheSmoothedRate) {
  LoadBand band(3);
  band.add(100);  // T_s 100
  band.add(200);  // T_s 150, off by 50
  EXPECT_DOUBLE_EQ(band.eps(), 50.0 / 300);
  band.add(600);  // T_s 300, off by 300
  EXPECT_DOUBLE_EQ(band.eps(), 350.0 / 900);
  band.add(100);  // T_s 300, off by 200; the first leaves
  EXPECT_DOUBLE_EQ(band.eps(), (50.0 + 300 + 200) / 900);
}

TEST(LoadBand, IsAtMostOne) {
  LoadBand band(10);
  band.add(1000);
  for (int i = 0; i < 9; ++i)
    band.add(0);  // T_s stays at 1000 / n: the deviations sum to 1000 (1/2 + 1/3 + ... + 1/10)
  EXPECT_EQ(band.eps(), 1);
}

TEST(NextOrder, ChangesOnlyBeyondTheBand) {
  constexpr auto kLow = BudgetOrder::kLow;
  constexpr auto kHigh = BudgetOrder::kHigh;
  EXPECT_EQ(next_order(kLow, 1.2, 0.2), kLow);
  EXPECT_EQ(next_order(kLow, 1.2001, 0.2), kHigh);
  EXPECT_EQ(next_order(kHigh, 0.8, 0.2), kHigh);
  EXPECT_EQ(next_order(kHigh, 0.7999, 0.2), kLow);
  EXPECT_EQ(next_order(kHigh, 1.0, 0.2), kHigh);
  EXPECT_EQ(next_order(kLow, 1.0, 0.2), kLow);
}

TEST(NextOrder, ChangesAtOnceWithoutABand) {
  EXPECT_EQ(next_order(BudgetOrder::kLow, 1.0001, 0), BudgetOrder::kHigh);
  EXPECT_EQ(next_order(BudgetOrder::kHigh, 0.9999, 0), BudgetOrder::kLow);
  EXPECT_EQ(next_order(BudgetOrder::kHigh, 1.0, 0), BudgetOrder::kHigh);
}

}  // namespace
}  // namespace harness
