#include "harness/core/profile.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

Profile sample() {
  Profile profile;
  profile.model = "m";
  profile.latency_ns = {10 * kNsPerMs, 12 * kNsPerMs, 30 * kNsPerMs, 32 * kNsPerMs};
  return profile;
}

TEST(Profile, LatencyIsByBatchSizeFromOne) {
  const Profile profile = sample();
  EXPECT_EQ(profile.max_batch(), 4);
  EXPECT_EQ(profile.latency(1), 10 * kNsPerMs);
  EXPECT_EQ(profile.latency(4), 32 * kNsPerMs);
}

TEST(Profile, BestThroughputIsNotAlwaysTheLargestBatch) {
  const Profile profile = sample();
  EXPECT_DOUBLE_EQ(best_throughput_rps(profile, 1), 100);
  EXPECT_DOUBLE_EQ(best_throughput_rps(profile, 2), 2 / 0.012);
  EXPECT_DOUBLE_EQ(best_throughput_rps(profile, 4), 2 / 0.012);  // 4 / 0.032 is less
  EXPECT_DOUBLE_EQ(best_throughput_rps(profile, 1000), 2 / 0.012);
}

TEST(Profile, ScalingMultipliesEveryLatencyAndRounds) {
  const Profile twice = scaled(sample(), 2.5);
  EXPECT_EQ(twice.latency(1), 25 * kNsPerMs);
  EXPECT_EQ(twice.latency(4), 80 * kNsPerMs);
  EXPECT_EQ(twice.model, "m");
  EXPECT_EQ(scaled(sample(), 1e-9).latency(1), 1) << "latencies stay positive";
}

// QUART, section 3.4: 4 cores instead of 2 take 33 % off, which is so when 66 % of the time with 2 divides
// among them: 10 ms = 3.4 + 13.2 / 2.
TEST(Profile, CoresShareTheCpuPartOfABatch) {
  Profile profile = sample();
  profile.cpu_ns = 13'200'000;
  profile.cores = 2;
  EXPECT_EQ(latency_with_cores(profile, 1, 2), 10 * kNsPerMs);
  EXPECT_EQ(latency_with_cores(profile, 1, 4), 6'700'000);
  EXPECT_EQ(latency_with_cores(profile, 1, 1), 16'600'000);
  EXPECT_EQ(latency_with_cores(profile, 1, 3), 7'800'000);
  EXPECT_EQ(latency_with_cores(profile, 3, 4), 20'100'000) << "30 ms less 33 %: by the same share";
  EXPECT_EQ(latency_with_cores(profile, 3, 0), 30 * kNsPerMs) << "0: as measured";
}

TEST(Profile, CoresChangeNothingWhereTheCpuPartIsNotKnown) {
  EXPECT_EQ(latency_with_cores(sample(), 2, 8), 12 * kNsPerMs);
}

TEST(Profile, ScalingScalesTheCpuPartToo) {
  Profile profile = sample();
  profile.cpu_ns = 13'200'000;
  profile.cores = 2;
  profile.gpus = 4;
  const Profile slow = scaled(profile, 3);
  EXPECT_EQ(slow.cpu_ns, 39'600'000);
  EXPECT_EQ(latency_with_cores(slow, 1, 4), 20'100'000) << "again 33 % off";
  EXPECT_EQ(slow.cores, 2);
  EXPECT_EQ(slow.gpus, 4);
}

TEST(Profile, BestThroughputCountsOnlyBatchesThatAreShortEnough) {
  EXPECT_EQ(best_throughput_within_rps(sample(), 4, 10 * kNsPerMs - 1), 0);
  EXPECT_DOUBLE_EQ(best_throughput_within_rps(sample(), 4, 10 * kNsPerMs), 100);
  EXPECT_DOUBLE_EQ(best_throughput_within_rps(sample(), 4, 31 * kNsPerMs), 2 / 0.012);
  EXPECT_DOUBLE_EQ(best_throughput_within_rps(sample(), 1, 31 * kNsPerMs), 100);
}

TEST(Profile, GoodputLiesOnStraightLinesBetweenItsPoints) {
  Profile profile = sample();
  EXPECT_EQ(goodput_rps(profile, 50 * kNsPerMs), std::nullopt);
  profile.goodput = {{50 * kNsPerMs, 40}, {100 * kNsPerMs, 100}, {200 * kNsPerMs, 120}};
  EXPECT_EQ(goodput_rps(profile, 50 * kNsPerMs), 40);
  EXPECT_EQ(goodput_rps(profile, 100 * kNsPerMs), 100);
  EXPECT_EQ(goodput_rps(profile, 200 * kNsPerMs), 120);
  EXPECT_DOUBLE_EQ(*goodput_rps(profile, 75 * kNsPerMs), 70);
  EXPECT_DOUBLE_EQ(*goodput_rps(profile, 125 * kNsPerMs), 105);
  EXPECT_EQ(goodput_rps(profile, 49 * kNsPerMs), std::nullopt);
  EXPECT_EQ(goodput_rps(profile, 201 * kNsPerMs), std::nullopt);
}

TEST(Profile, ScalingKeepsGoodputUnderSlosThatScaleToo) {
  Profile profile = sample();
  profile.goodput = {{50 * kNsPerMs, 40}, {100 * kNsPerMs, 100}};
  const Profile slow = scaled(profile, 4);
  EXPECT_EQ(goodput_rps(slow, 200 * kNsPerMs), 10);
  EXPECT_EQ(goodput_rps(slow, 400 * kNsPerMs), 25);
  EXPECT_EQ(goodput_rps(slow, 100 * kNsPerMs), std::nullopt);
}

}  // namespace
}  // namespace harness
