#include "systems/pard/queueing_window.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(QueueingWindow, IsZeroWithoutVisits) {
  QueueingWindow window(5);
  EXPECT_EQ(window.mean_ns(), 0);
  window.add(0, 0);
  EXPECT_EQ(window.mean_ns(), 0);
}

TEST(QueueingWindow, WeighsTheNewestMost) {
  QueueingWindow window(3);
  window.add(100, 1);
  EXPECT_DOUBLE_EQ(window.mean_ns(), 100);
  window.add(200, 1);  // weights 2 and 3
  EXPECT_DOUBLE_EQ(window.mean_ns(), (2 * 100 + 3 * 200) / 5.0);
  window.add(600, 1);  // weights 1, 2, 3
  EXPECT_DOUBLE_EQ(window.mean_ns(), (100 + 2 * 200 + 3 * 600) / 6.0);
  window.add(0, 1);  // the first is gone
  EXPECT_DOUBLE_EQ(window.mean_ns(), (200 + 2 * 600) / 6.0);
}

TEST(QueueingWindow, WeighsVisitsNotPeriods) {
  QueueingWindow window(2);
  window.add(10 * 40, 10);
  window.add(1 * 700, 1);
  EXPECT_DOUBLE_EQ(window.mean_ns(), (1 * 400 + 2 * 700) / 12.0);
}

TEST(QueueingWindow, SkipsPeriodsWithoutVisits) {
  QueueingWindow window(3);
  window.add(50, 1);
  window.add(0, 0);
  EXPECT_DOUBLE_EQ(window.mean_ns(), 50);
  window.add(0, 0);
  window.add(0, 0);
  EXPECT_EQ(window.mean_ns(), 0);
}

}  // namespace
}  // namespace harness
