#include "systems/symphony/rate_meter.h"

#include <gtest/gtest.h>

#include "harness/core/test_time.h"

namespace harness {
namespace {

TEST(RateMeter, AveragesItsSamplesFromTheFirstArrivalOn) {
  RateMeter meter;
  EXPECT_EQ(meter.rate_rps(10 * kNsPerS), std::nullopt);
  for (int i = 0; i < 10; ++i) meter.count(10'010 * kMs);
  EXPECT_EQ(meter.rate_rps(10'049 * kMs), std::nullopt) << "the interval has not ended";
  EXPECT_EQ(meter.rate_rps(10'050 * kMs), 200);
  EXPECT_EQ(meter.rate_rps(10'149 * kMs), 100);
  EXPECT_EQ(meter.rate_rps(14'999 * kMs), 10 / 4.95);
  EXPECT_EQ(meter.rate_rps(15'000 * kMs), 10 / 5.0);
  EXPECT_EQ(meter.rate_rps(15'050 * kMs), 0) << "of 100 samples";
  meter.count(100 * kNsPerS);
  EXPECT_EQ(meter.rate_rps(100'050 * kMs), 1 / 5.0);
}

}  // namespace
}  // namespace harness
