#include "systems/shepherd/test_offline_optimum.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/random_stream.h"
#include "systems/shepherd/test_exhaustive_optimum.h"
#include "systems/shepherd/test_offline_instances.h"

namespace harness {
namespace {

/// One model, b + 9.
OfflineInstance instance_of(int gpus, std::vector<OfflineRequests> requests) {
  OfflineInstance instance;
  instance.gpus = gpus;
  instance.models = {flex_profile(1, 9, 8)};
  instance.requests = std::move(requests);
  return instance;
}

TEST(OfflineOptimum, IsWhatOneSeesAtOnce) {
  EXPECT_EQ(offline_optimum(instance_of(1, {})).in_time, 0);
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 9, 1}})).in_time, 0) << "too late for anything";
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 10, 3}})).in_time, 1);
  EXPECT_EQ(offline_optimum(instance_of(2, {{0, 0, 10, 3}})).in_time, 2);
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 12, 3}})).in_time, 3);
  // One after the other, without a gap; and one that waits for those that come later.
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 10, 1}, {0, 3, 20, 1}})).in_time, 2);
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 17, 1}, {0, 5, 17, 2}})).in_time, 3);
  // Figure 4, scenario B: it knows better than to start the first.
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 10, 1}, {0, 5, 19, 5}})).in_time, 5);
  // At most max_batch = 8 together.
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 27, 20}})).in_time, 9);
  EXPECT_EQ(offline_optimum(instance_of(1, {{0, 0, 26, 20}})).in_time, 8);
}

TEST(OfflineOptimum, KnowsTheInstantsThatMatter) {
  // Arrivals 0 and 5; batches of one take 10, of two 11.
  const OfflineInstance instance = instance_of(1, {{0, 0, 22, 1}, {0, 5, 40, 1}});
  EXPECT_EQ(offline_starts(instance), (std::vector<TimeNs>{0, 5, 10, 15, 16, 20, 21, 25, 26, 30}));
}

TEST(OfflineOptimum, AgreesWithExhaustiveSearch) {
  int several_gpus = 0, beyond_one_batch = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    RandomStream random(seed, "offline_optimum");
    LinearInstance one = random_instance(random, 5, 3, 14);
    if (seed % 5 == 0) one.instance.models[0].latency_ns = {7, 5, 9, 8};
    const OfflineOptimum found = offline_optimum(one.instance);
    ASSERT_EQ(found.status, MilpStatus::kOptimal) << seed;
    ASSERT_EQ(found.in_time, ExhaustiveOptimum(one.instance).in_time()) << seed << ": " << text_of(one);
    several_gpus += one.instance.gpus > 1 ? 1 : 0;
    beyond_one_batch += found.in_time > 3 ? 1 : 0;
  }
  EXPECT_GT(several_gpus, 300);
  EXPECT_GT(beyond_one_batch, 200);
}

}  // namespace
}  // namespace harness
