// Preemption (SHEPHERD, section 6) in virtual time: by hand for few requests.
#include <gtest/gtest.h>

#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::PreemptingSystem;
using testing::Ran;

/// One worker whose batches of 1..4 take 10 ms, with 4 exit points: at 2, 4, 6 and 8 ms. Two waiting requests
/// stop a batch of one.
RunSpec exit_point_spec(const std::vector<double>& times_ms) {
  Profile profile = testing::linear_profile("m", 0, 10, 4);
  profile.exit_points = 4;
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {profile}, {{4, 1}}, kNsPerS,
                                    testing::at_ms(times_ms), kNsPerS);
  spec.system = std::make_unique<PreemptingSystem>(2);
  return spec;
}

TEST(Preemption, StopsTheBatchAtItsNextExitPoint) {
  // The batch of 0 runs from 0 on. At 3 ms 1 and 2 wait: it stops at 4, then all three run together.
  const Ran ran(exit_point_spec({0, 1, 3}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{14, 14, 14}));
  const ModuleTotals& totals = ran.record.modules[0];
  EXPECT_EQ(totals.preempted, 1U);
  EXPECT_EQ(totals.batches, 2U);
  EXPECT_EQ(totals.done, 3U);
  EXPECT_EQ(totals.arrived, 3U) << "a preempted visit does not arrive again";
  EXPECT_EQ(ran.record.gpu_ns, 14 * kMs);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 4 * kMs)
      << "work of preempted batches is wasted although 0 is in time";
  EXPECT_EQ(ran.record.workers[0].busy_ns, 14 * kMs);
  EXPECT_EQ(ran.record.workers[0].batches, 1U);
  ASSERT_EQ(ran.rows.visit_rows.size(), 3U);
  for (const VisitRow& row : ran.rows.visit_rows) {
    EXPECT_EQ(row.started_ns, 4 * kMs);
    EXPECT_EQ(row.batch, 3);
    EXPECT_EQ(row.arrived_ns, row.request == 0   ? 0
                              : row.request == 1 ? kMs
                                                 : 3 * kMs)
        << "it waits since then";
  }
}

TEST(Preemption, AtAnExitPointItStopsThere) { EXPECT_EQ(Ran(exit_point_spec({0, 1, 4})).ends()[0], 14); }

TEST(Preemption, BehindTheLastExitPointTheBatchRunsToItsEnd) {
  const Ran ran(exit_point_spec({0, 1, 8.5}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{10, 20, 20}));
  EXPECT_EQ(ran.record.modules[0].preempted, 0U);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 0);
}

TEST(Preemption, WithoutExitPointsNothingStops) {
  RunSpec spec = exit_point_spec({0, 1, 3});
  spec.profiles[0].exit_points = 0;
  EXPECT_EQ(Ran(spec).ends(), (std::vector<double>{10, 20, 20}));
}

TEST(Preemption, ImmediateNeedsNoExitPoint) {
  RunSpec spec = exit_point_spec({0, 1, 3});
  spec.profiles[0].exit_points = 0;
  spec.world.preemption = Preemption::kImmediate;
  const Ran ran(spec);
  EXPECT_EQ(ran.ends(), (std::vector<double>{13, 13, 13}));
  EXPECT_EQ(ran.record.gpu_invalid_ns, 3 * kMs);
}

TEST(Preemption, TheEndOfAPreemptedBatchEndsNoOther) {
  // Stopped at 4 ms, the first batch would have ended at 10; the second runs from 4 to 14, the next from 14.
  const Ran ran(exit_point_spec({0, 1, 3, 9}));
  EXPECT_EQ(ran.ends(), (std::vector<double>{14, 14, 14, 24}));
}

TEST(Preemption, ASlowGpuReachesItsExitPointsLate) {
  RunSpec spec = exit_point_spec({0, 1, 3});
  spec.faults = {testing::fault_of(FaultKind::kSlow, 0, 2)};
  spec.faults[0].factor = 3;
  const Ran ran(spec);  // the first batch takes 30 ms, with an exit point every 6 ms
  EXPECT_EQ(ran.ends()[0], 16);
  EXPECT_EQ(ran.record.gpu_invalid_ns, 6 * kMs);
}

TEST(Preemption, AGpuThatStopsBeforeTheExitPointLosesTheBatch) {
  RunSpec spec = exit_point_spec({0, 1, 3});
  spec.faults = {testing::fault_of(FaultKind::kStop, 3.5, 100)};
  const Ran ran(spec);
  EXPECT_EQ(ran.record.modules[0].preempted, 0U);
  EXPECT_EQ(ran.record.dropped, 3U) << "one lost, two without a worker";
}

TEST(Preemption, AVisitOfAnEndedRequestDoesNotWaitAgain) {
  // Requests 0 and 1 split. At m1 request 0 runs until 15 ms, when request 1, due at 12, is dropped; its
  // other branch runs at m2 from 11 ms on, where requests 2 and 3, at 16.5 and 17.5, stop it at 18.
  std::vector<Profile> profiles(4, testing::linear_profile("m", 0, 1, 1));
  profiles[1] = testing::linear_profile("m", 0, 14, 1);
  profiles[2] = testing::linear_profile("m", 0, 10, 1);
  profiles[2].exit_points = 9;
  RunSpec spec = testing::make_spec("naive", testing::diamond(), profiles, {{1, 1}, {1, 1}, {1, 1}, {1, 1}},
                                    12 * kMs, {0, 0, 15 * kMs + kMs / 2, 15 * kMs + kMs / 2}, kNsPerS);
  spec.system = std::make_unique<PreemptingSystem>(2);
  const Ran ran(spec);
  EXPECT_EQ(ran.record.modules[2].preempted, 1U);
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.request != 1 || row.module != 2) continue;
    EXPECT_EQ(row.outcome, VisitOutcome::kCancelled);
    EXPECT_EQ(row.ended_ns, 18 * kMs) << "at the exit point, not when its turn would have come again";
  }
  EXPECT_EQ(ran.record.modules[2].cancelled, 1U);
}

}  // namespace
}  // namespace harness
