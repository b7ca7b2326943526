#include "systems/shepherd/herd_input.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "harness/serving/test_world.h"
#include "systems/shepherd/test_herd_check.h"

namespace harness {
namespace {

/// alpha = 1 ms, beta = 10 ms, batches up to 64.
Profile linear() { return linear_profile(10, 1, 64); }

SideBySideWorld world_of(std::vector<Profile> profiles, std::vector<Stream> streams) {
  return {std::move(profiles), std::move(streams), 12};
}

HerdInput input_of(const SideBySideWorld& world) { return herd_input(world.context, {}, 128); }

// Two batches of b in 100 ms: b = 40 in 50 ms, 800/s.
TEST(StreamGoodput, ByRuleIsThatOfBatchesThatFollowEachOther) {
  EXPECT_DOUBLE_EQ(stream_goodput_rps(linear(), 100 * kMs, HerdGoodput::kRule, 128), 800);
  EXPECT_DOUBLE_EQ(stream_goodput_rps(linear(), 100 * kMs, HerdGoodput::kRule, 10), 500);
  // No two fit into 20 ms; one visit at a time takes 11.
  EXPECT_DOUBLE_EQ(stream_goodput_rps(linear(), 20 * kMs, HerdGoodput::kRule, 128), 1000 / 11.0);
  EXPECT_EQ(stream_goodput_rps(linear(), 10 * kMs, HerdGoodput::kRule, 128), 0);
}

TEST(StreamGoodput, IsTheProfilesWhereItHasPointsAroundTheSlo) {
  Profile profile = linear();
  profile.goodput = {{50 * kMs, 100}, {150 * kMs, 300}};
  EXPECT_EQ(stream_goodput_rps(profile, 50 * kMs, HerdGoodput::kProfile, 128), 100);
  EXPECT_DOUBLE_EQ(stream_goodput_rps(profile, 100 * kMs, HerdGoodput::kProfile, 128), 200);
  EXPECT_DOUBLE_EQ(stream_goodput_rps(profile, 100 * kMs, HerdGoodput::kRule, 128), 800);
  EXPECT_EQ(stream_goodput_rps(profile, 200 * kMs, HerdGoodput::kProfile, 128),
            stream_goodput_rps(profile, 200 * kMs, HerdGoodput::kRule, 128));
}

// One visit takes 11 ms; the line from 10 to 20 ms is at 10/s there, and says 5 at 10.5 ms.
TEST(StreamGoodput, IsNothingWhereNoBatchEndsInTimeWhateverThePointsAround) {
  Profile profile = linear();
  profile.goodput = {{10 * kMs, 0}, {20 * kMs, 100}};
  EXPECT_EQ(stream_goodput_rps(profile, ms_to_ns(10.5), HerdGoodput::kProfile, 128), 0);
  EXPECT_DOUBLE_EQ(stream_goodput_rps(profile, 11 * kMs, HerdGoodput::kProfile, 128), 10);
  EXPECT_EQ(input_of(world_of({profile}, {{0, ms_to_ns(10.5), 30}})).models[0].rate_rps, 0);
}

TEST(HerdInputOfCell, AddsUpTheStreamsOfAModel) {
  Profile first = linear();
  first.memory_mb = 46.758048;
  first.goodput = {{50 * kMs, 100}, {100 * kMs, 200}};
  const HerdInput input =
      input_of(world_of({first, linear()}, {{0, 50 * kMs, 30}, {1, 100 * kMs, 80}, {0, 100 * kMs, 40}}));
  EXPECT_EQ(input.gpus, 12);
  EXPECT_EQ(input.gpu_bytes, 16'000'000'000);
  EXPECT_EQ(input.models[0].bytes, 46'758'048);
  EXPECT_EQ(input.models[1].bytes, 0);
  EXPECT_EQ(input.models[0].rate_rps, 70);
  // 30 / 100 + 40 / 200 = 0.5 GPUs.
  EXPECT_DOUBLE_EQ(input.models[0].rate_rps / input.models[0].goodput_rps, 0.5);
  EXPECT_DOUBLE_EQ(input.models[1].rate_rps / input.models[1].goodput_rps, 0.1);
  EXPECT_NEAR(input.models[0].alpha_ms, 1, 1e-9);
  EXPECT_NEAR(input.models[0].beta_ms, 10, 1e-9);
}

TEST(HerdInputOfCell, LeavesOutWhatNoGpuServesInTime) {
  const HerdInput input =
      input_of(world_of({linear(), linear()}, {{0, 5 * kMs, 30}, {1, 5 * kMs, 10}, {1, 100 * kMs, 80}}));
  EXPECT_EQ(input.models[0].rate_rps, 0);
  EXPECT_EQ(input.models[1].rate_rps, 80);
  EXPECT_EQ(plan_herd(input).status, HerdStatus::kOptimal);
}

TEST(HerdInputOfCell, TakesStreamsOfUnknownRatesAsEqual) {
  const HerdInput input =
      input_of(world_of({linear(), linear()}, {{0, 100 * kMs, 0}, {1, 100 * kMs, 0}, {0, 100 * kMs, 0}}));
  EXPECT_EQ(input.models[0].rate_rps, 2);
  EXPECT_EQ(input.models[1].rate_rps, 1);
}

// A stream cannot be divided, so a model has no more shares than streams that are served.
TEST(HerdInputOfCell, HasAModelInNoMoreSharesThanItHasStreams) {
  std::vector<Stream> streams = {{0, 100 * kMs, 3}, {1, 100 * kMs, 3}, {1, 5 * kMs, 9}, {1, 100 * kMs, 0}};
  for (int i = 0; i < 9; ++i) streams.push_back({0, 100 * kMs, 1});
  const HerdInput input = input_of({{linear(), linear(), linear()}, streams, 60});
  EXPECT_EQ(input.params.shares, 5);
  EXPECT_EQ(shares_of(input.models[0], input.params), 5);
  EXPECT_EQ(shares_of(input.models[1], input.params), 1);
  EXPECT_EQ(shares_of(input.models[2], input.params), 1);
  const HerdPlan plan = plan_herd(input);
  EXPECT_TRUE(herd_violations(input, plan).empty());
}

TEST(HerdInputOfCell, CountsStreamsOfOneNumberAsOne) {
  std::vector<Stream> streams(65'539, Stream{1, 100 * kMs, 1});
  for (const std::size_t own : {0, 1, 65'536, 65'538}) streams[own].entry = 0;
  EXPECT_EQ(input_of(world_of({linear(), linear()}, streams)).models[0].streams, 3);
}

// 400 GPUs in groups of 12: 33 and one of 4.
TEST(HerdPlanner, TakesAsManySharesAsThereAreGroups) {
  HerdPlannerParams params;
  EXPECT_EQ(params.shares_for(12), 1);
  EXPECT_EQ(params.shares_for(13), 2);
  EXPECT_EQ(params.shares_for(400), 34);
  params.herd.group_worker_limit = 0;
  EXPECT_EQ(params.shares_for(400), 1);
  params.herd.group_worker_limit = 1;
  EXPECT_EQ(params.shares_for(400), 400);
  params.herd.shares = 7;
  EXPECT_EQ(params.shares_for(400), 7);
}

}  // namespace
}  // namespace harness
