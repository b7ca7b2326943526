#include "systems/pard/worst_window.h"

#include <gtest/gtest.h>

#include <iterator>

namespace harness {
namespace {

TEST(WorstWindow, KeepsTheLargestOfTheLastPeriods) {
  WorstWindow window(3);
  EXPECT_EQ(window.worst_ns(), 0);
  const double added[] = {5, 9, 2, 3, 1, 0, 0, 0};
  const double worst[] = {5, 9, 9, 9, 3, 3, 1, 0};
  for (std::size_t i = 0; i < std::size(added); ++i) {
    window.add(added[i]);
    EXPECT_EQ(window.worst_ns(), worst[i]) << i;
  }
}

}  // namespace
}  // namespace harness
