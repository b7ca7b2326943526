#include "systems/cocktail/holt_forecast.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(HoltForecast, OfAConstantIsTheConstant) {
  HoltForecast forecast(0.5, 0.3);
  EXPECT_EQ(forecast.ahead(7), 0);
  for (int i = 0; i < 20; ++i) {
    forecast.add(40);
    EXPECT_DOUBLE_EQ(forecast.ahead(0), 40);
    EXPECT_DOUBLE_EQ(forecast.ahead(3), 40);
  }
}

TEST(HoltForecast, OfALineIsTheLineFromItsSecondValueOn) {
  HoltForecast forecast(0.5, 0.3);
  forecast.add(100);
  EXPECT_DOUBLE_EQ(forecast.ahead(2), 100);
  for (int i = 1; i < 50; ++i) {
    forecast.add(100 - 1.5 * i);
    EXPECT_NEAR(forecast.ahead(0), 100 - 1.5 * i, 1e-9);
    EXPECT_NEAR(forecast.ahead(2.5), 100 - 1.5 * (i + 2.5), 1e-9);
  }
}

// By hand: 10, 20, then 20: level 0.5 x 20 + 0.5 x 30 = 25, trend 0.25 x 5 + 0.75 x 10 = 8.75. Then 20: level
// 0.5 x 20 + 0.5 x 33.75 = 26.875, trend 0.25 x 1.875 + 0.75 x 8.75 = 7.03125.
TEST(HoltForecast, OfAStep) {
  HoltForecast forecast(0.5, 0.25);
  for (const double value : {10, 20, 20}) forecast.add(value);
  EXPECT_DOUBLE_EQ(forecast.ahead(0), 25);
  EXPECT_DOUBLE_EQ(forecast.ahead(2), 42.5);
  forecast.add(20);
  EXPECT_DOUBLE_EQ(forecast.ahead(0), 26.875);
  EXPECT_DOUBLE_EQ(forecast.ahead(1), 33.90625);
}

// A line that bends settles on the new line.
TEST(HoltForecast, ForgetsAnotherTrend) {
  HoltForecast forecast(0.5, 0.3);
  for (int i = 0; i < 10; ++i) forecast.add(100);
  EXPECT_DOUBLE_EQ(forecast.ahead(1), 100);
  double last = 100;
  for (int i = 0; i < 80; ++i) forecast.add(last += 4);
  EXPECT_NEAR(forecast.ahead(1), last + 4, 1e-3);
}

}  // namespace
}  // namespace harness
