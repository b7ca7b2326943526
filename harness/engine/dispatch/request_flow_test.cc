// Splitting, merging and cancelling in a DAG, by hand.
#include <gtest/gtest.h>

#include "harness/engine/test_system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::RowKeeper;

/// Returns the diamond m0 (10 ms) -> {m1 (20), m2 (50)} -> m3 (5) with batches of 1, in which no request is
/// late.
RunSpec diamond_spec(std::vector<TimeNs> times, testing::DropList drops) {
  RunSpec spec = testing::make_spec("naive", testing::diamond(),
                                    {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1),
                                     linear_profile("c", 0, 50, 1), linear_profile("d", 0, 5, 1)},
                                    {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, kNsPerS, std::move(times), kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(std::move(drops));
  return spec;
}

TEST(Dag, MergeWaitsForTheSlowestBranch) {
  RowKeeper rows;
  const RunRecord record = simulate(diamond_spec({0}, {}), &rows);
  EXPECT_EQ(record.in_time, 1u);
  EXPECT_EQ(record.end_ns, ms_to_ns(65));
  ASSERT_EQ(rows.visit_rows.size(), 4u);
  const VisitRow& merged = rows.visit_rows.back();
  EXPECT_EQ(merged.module, 3);
  EXPECT_EQ(merged.arrived_ns, ms_to_ns(60));
  EXPECT_EQ(rows.visit_rows[2].module, 2);
  EXPECT_EQ(merged.parent, rows.visit_rows[2].visit) << "the last branch to come is the parent";
  EXPECT_EQ(record.gpu_ns, ms_to_ns(85));
}

TEST(Dag, ADroppedBranchFailsTheRequestAndTheRunningSiblingCountsAsInvalid) {
  const RunRecord record = simulate(diamond_spec({0}, {{1, {0}}}), nullptr);
  EXPECT_EQ(record.dropped, 1u);
  EXPECT_EQ(record.modules[2].done, 1u);
  EXPECT_EQ(record.modules[3].arrived, 0u);
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(10 + 50));
}

TEST(Dag, AQueuedSiblingIsCancelled) {
  // m1 runs request 1 at 30-50 and drops request 3 when it could join behind it, at 50. m2 is busy with
  // request 0 until 60, request 1 forms behind it, requests 2 and 3 are queued.
  const RunRecord record = simulate(diamond_spec({0, 0, 0, 0}, {{1, {3}}}), nullptr);
  EXPECT_EQ(record.dropped, 1u);
  EXPECT_EQ(record.modules[2].cancelled, 1u);
  EXPECT_EQ(record.modules[2].done, 3u);
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(10));
}

TEST(Dag, CancellationTravelsLikeAMessage) {
  RunSpec spec = diamond_spec({0, 0, 0, 0}, {{1, {3}}});
  spec.world.network_delay_ms = 1;
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.modules[2].cancelled, 1u);
  TimeNs dropped_ns = 0;
  TimeNs cancelled_ns = 0;
  for (const VisitRow& row : rows.visit_rows) {
    if (row.outcome == VisitOutcome::kDropped) dropped_ns = row.ended_ns;
    if (row.outcome == VisitOutcome::kCancelled) cancelled_ns = row.ended_ns;
  }
  EXPECT_EQ(cancelled_ns - dropped_ns, ms_to_ns(1));
}

TEST(Dag, ASlowBranchOfADroppedRequestLeavesNothingAtTheMerge) {
  // m2 drops request 0 at 10 ms, before m1 is done at 30: the merge must not wait for ever, nor run.
  const RunRecord record = simulate(diamond_spec({0, ms_to_ns(200)}, {{2, {0}}}), nullptr);
  EXPECT_EQ(record.dropped, 1u);
  EXPECT_EQ(record.in_time, 1u);
  EXPECT_EQ(record.modules[3].arrived, 1u);
}

TEST(Dag, ADropAfterTheFirstBranchReachedTheMergeForgetsIt) {
  // Request 3's branch at m1 is done at 90 and waits at the merge when m2 drops it at 110 (m2 runs 10-60,
  // 60-110, ...).
  const RunRecord record = simulate(diamond_spec({0, 0, 0, 0}, {{2, {3}}}), nullptr);
  EXPECT_EQ(record.dropped, 1u);
  EXPECT_EQ(record.modules[3].done, 3u);
  EXPECT_EQ(record.modules[1].done, 4u);
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(10 + 20));
}

TEST(Dag, ARequestDroppedInBothBranchesAtOnceCountsAsOneDrop) {
  // Both branches would drop request 0 as soon as it arrives, at 10 ms, before any cancellation can reach the
  // other.
  const RunRecord record = simulate(diamond_spec({0}, {{1, {0}}, {2, {0}}}), nullptr);
  EXPECT_EQ(record.dropped, 1u);
  const auto expired = static_cast<std::size_t>(DropReason::kExpired);
  EXPECT_EQ(record.modules[1].dropped[expired], 1u);
  EXPECT_EQ(record.modules[2].dropped[expired], 0u);
  EXPECT_EQ(record.modules[2].cancelled, 1u);
}

TEST(Dispatch, LeastOutstandingPrefersTheIdleWorkerWhereRoundRobinQueues) {
  const auto in_time = [](Dispatch dispatch) {
    // d(1) = 10 ms, d(2) = 40 ms, SLO 10 ms: only a request that starts at once and alone is in time.
    Profile profile = linear_profile("m", 30, -20, 2);
    RunSpec spec = testing::make_spec(
        "naive", testing::chain(1), {profile}, {{2, 2}}, ms_to_ns(10),
        {0, ms_to_ns(1), ms_to_ns(2), ms_to_ns(3), ms_to_ns(4), ms_to_ns(25), ms_to_ns(36)}, kNsPerS);
    spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
    spec.serving.dispatch = dispatch;
    return simulate(spec, nullptr).in_time;
  };
  // Both: 0 -> w0 (0-10), 1 -> w1 (1-11), 2 -> w0, 3 -> w1 (11-21), 4 -> w0 (2 and 4 together, 10-50), 25 ->
  // w1 (25-35). The request at 36: it is w0's turn, which is busy until 50; least loaded takes w1, which is
  // idle.
  EXPECT_EQ(in_time(Dispatch::kRoundRobin), 3u);
  EXPECT_EQ(in_time(Dispatch::kLeastOutstanding), 4u);
}

}  // namespace
}  // namespace harness
