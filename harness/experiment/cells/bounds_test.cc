// Which cells share their bounds.
#include "harness/experiment/cells/bounds.h"

#include <gtest/gtest.h>

#include "harness/engine/bounds/test_offline_schedule.h"
#include "harness/sim/test_groups.h"

namespace harness {
namespace {

RunSpec make_spec(const std::vector<TimeNs>& times) {
  return testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 10, 2)}, {{2, 1}},
                            ms_to_ns(10), times, kNsPerS);
}

TEST(BoundCache, ComputesAnewWhereWorkersAreShared) {
  // 2 modules, a request to each at once, 10 ms a batch, SLO 10 ms: one worker for both serves one of them.
  BoundCache cache;
  RunSpec spec = make_spec({0, 0});
  spec.pipeline = testing::independent({1, 1});
  spec.profiles.push_back(spec.profiles.front());
  spec.streams = {{0, spec.slo_ns, 0}, {1, spec.slo_ns, 0}};
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::vector<TimeNs>{0, 0}, kNsPerS,
                                                           std::vector<StreamId>{0, 1});
  RunRecord record = testing::fixed_plan(spec, 2, {{1, 1}, {1, 1}});
  record.workers.resize(2);
  EXPECT_EQ(cache.of("two", spec, record).fluid, 2u);
  record.shares_workers = true;
  EXPECT_EQ(cache.of("two", spec, record).fluid, 2u);
  record.workers.resize(1);
  EXPECT_EQ(cache.of("two", spec, record).fluid, 1u);
  record.workers[0].ready_ns = ms_to_ns(5);
  EXPECT_EQ(cache.of("two", spec, record).fluid, 0u);
}

TEST(BoundCache, ComputesOncePerArrivalsPlanAndWorld) {
  // 3 at once, batches of 2 in 10 ms, SLO 10 ms: 2 in time, in batches of one 1.
  BoundCache cache;
  const RunSpec spec = make_spec({0, 0, 0});
  const RunRecord record = testing::fixed_plan(spec, 3, {{2, 1}});
  const Bounds& first = cache.of("three", spec, record);
  EXPECT_EQ(first.offline_schedule, 2u);
  EXPECT_EQ(first.fluid, 2u);
  EXPECT_EQ(&cache.of("three", make_spec({0, 0, 0}), record), &first);

  const RunSpec later = make_spec({0, ms_to_ns(10), ms_to_ns(20)});
  EXPECT_EQ(cache.of("spread", later, record).offline_schedule, 3u) << "other arrivals";
  EXPECT_EQ(cache.of("three", spec, testing::fixed_plan(spec, 3, {{1, 1}})).offline_schedule, 1u)
      << "another plan";
  RunSpec slow = make_spec({0, 0, 0});
  slow.profiles = {scaled(slow.profiles.front(), 2)};
  EXPECT_EQ(cache.of("three", slow, record).offline_schedule, 0u) << "other profiles";
  RunSpec strict = make_spec({0, 0, 0});
  strict.slo_ns = ms_to_ns(9);
  EXPECT_EQ(cache.of("three", strict, record).offline_schedule, 0u) << "another SLO";
  RunSpec far = make_spec({0, 0, 0});
  far.world.network_delay_ms = 1;
  EXPECT_EQ(cache.of("three", far, record).offline_schedule, 0u) << "another network";
  RunSpec jittery = make_spec({0, 0, 0});
  jittery.world.jitter = Jitter::kUniform;
  EXPECT_FALSE(cache.of("three", jittery, record).offline_schedule.has_value());
}

}  // namespace
}  // namespace harness
