#include "systems/pard/wait_window.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

constexpr TimeNs kExecuted = 20 * kNsPerMs;
constexpr int kWaits = 10'000;

TEST(WaitWindow, IsUniformWhileEmpty) {
  WaitWindow window(10);
  window.set_exec(kExecuted);
  EXPECT_EQ(window.table().at, WaitTable::uniform(kExecuted).at);
  EXPECT_EQ(window.table().at.back(), static_cast<float>(kExecuted));
  EXPECT_EQ(window.table().at[32], static_cast<float>(kExecuted) / 2);
}

TEST(WaitWindow, ReproducesWhatItSaw) {
  WaitWindow window(kWaits);
  window.set_exec(kExecuted);
  // Squares of an even grid: the quantile function is p^2 d.
  for (int i = 0; i < kWaits; ++i) {
    const double p = (i + 0.5) / kWaits;
    window.add(p * p * static_cast<double>(kExecuted));
  }
  const WaitTable table = window.table();
  for (int i = 0; i < WaitTable::kPoints; ++i) {
    const double p = static_cast<double>(i) / WaitTable::kSegments;
    EXPECT_NEAR(table.at[static_cast<std::size_t>(i)], p * p * kExecuted, kExecuted / 256.0) << i;
  }
}

TEST(WaitWindow, KeepsZeroExactly) {
  WaitWindow window(1'000);
  window.set_exec(kExecuted);
  for (int i = 0; i < 600; ++i) window.add(0);
  for (int i = 0; i < 400; ++i) window.add(static_cast<double>(kExecuted));
  const WaitTable table = window.table();
  EXPECT_EQ(table.at[0], 0);
  EXPECT_EQ(table.at[38], 0);  // 38/64 < 0.6
  EXPECT_NEAR(table.at[40], kExecuted, kExecuted / 256.0);
}

TEST(WaitWindow, ForgetsTheOldestFirst) {
  WaitWindow window(100);
  window.set_exec(kExecuted);
  for (int i = 0; i < 150; ++i) window.add(static_cast<double>(kExecuted));
  for (int i = 0; i < 99; ++i) window.add(0);
  EXPECT_EQ(window.count(), 100U);
  EXPECT_EQ(window.table().at[63], 0);
  EXPECT_GT(window.table().at[64], 0);
  window.add(0);
  EXPECT_EQ(window.table().at[64], 0);
}

TEST(WaitWindow, KeepsItsWaitsWhenTheBatchChanges) {
  WaitWindow window(100);
  window.set_exec(kExecuted);
  for (int i = 0; i < 100; ++i) window.add(static_cast<double>(kExecuted) / 2);
  window.set_exec(4 * kExecuted);
  EXPECT_NEAR(window.table().at[32], kExecuted / 2.0, 4 * kExecuted / 256.0);
  for (int i = 0; i < 100; ++i) window.add(0);
  EXPECT_EQ(window.table().at[64], 0);
}

TEST(WaitWindow, CutsWaitsAtFourExecutions) {
  WaitWindow window(10);
  window.set_exec(kExecuted);
  for (int i = 0; i < 10; ++i) window.add(100.0 * kExecuted);
  EXPECT_NEAR(window.table().at[32], 4.0 * kExecuted, kExecuted / 128.0);
}

}  // namespace
}  // namespace harness
