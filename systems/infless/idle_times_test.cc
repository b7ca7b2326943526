#include "systems/infless/idle_times.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

constexpr TimeNs kHours = 3600 * kNsPerS;

// (100 + 100) / 2, (100 + 20) / 2, 100 alone, nothing.
TEST(IdleTimes, HalfOfTheDayAndHalfOfTheHour) {
  IdleTimes times;
  EXPECT_EQ(times.keep_alive_ns(0, 300 * kNsPerS), 300 * kNsPerS);
  times.add(0, 100 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(kHours, 300 * kNsPerS), 100 * kNsPerS);
  times.add(kHours, 20 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(kHours + 1, 300 * kNsPerS), 60 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(3 * kHours, 300 * kNsPerS), 100 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(25 * kHours, 300 * kNsPerS), 20 * kNsPerS);
  EXPECT_EQ(times.keep_alive_ns(25 * kHours + 1, 300 * kNsPerS), 300 * kNsPerS);
}

}  // namespace
}  // namespace harness
