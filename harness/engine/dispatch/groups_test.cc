// Streams of requests, and queues that serve several modules (SHEPHERD, section 3.2).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"

namespace harness {
namespace {

/// Returns a cell with modules a (1 ms) and b (10 ms) behind one queue of `workers`; requests to a are due
/// after 20 ms, to b after 100 ms.
RunSpec two_models(int workers, std::vector<TimeNs> times, std::vector<StreamId> streams) {
  RunSpec spec = testing::independent_cell(
      {testing::linear_profile("a", 0, 1, 8), testing::linear_profile("b", 0, 10, 8)},
      {{0, 20 * kMs, 0}, {1, 100 * kMs, 0}}, workers,
      std::make_unique<testing::GroupSystem>(std::vector<WorkerGroup>{{workers, {0, 1}}}, 0.0));
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::move(times), kNsPerS, std::move(streams));
  return spec;
}

TEST(Groups, OneWorkerServesTwoModels) {
  // b runs from 0 to 10 ms; the two requests for a, which came at 1 and 2 ms, follow in one batch.
  testing::RowKeeper rows;
  const RunRecord record = simulate(two_models(1, {0, 1 * kMs, 2 * kMs}, {1, 0, 0}), &rows);
  EXPECT_EQ(record.in_time, 3U);
  ASSERT_EQ(rows.visit_rows.size(), 3U);
  EXPECT_EQ(rows.visit_rows[0].module, 1);
  EXPECT_EQ(rows.visit_rows[0].ended_ns, 10 * kMs);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(rows.visit_rows[i].module, 0);
    EXPECT_EQ(rows.visit_rows[i].batch, 2);
    EXPECT_EQ(rows.visit_rows[i].started_ns, 10 * kMs);
    EXPECT_EQ(rows.visit_rows[i].ended_ns, 11 * kMs);
  }
  EXPECT_EQ(record.workers.size(), 1U);
  EXPECT_EQ(record.gpu_ns, 11 * kMs);
  EXPECT_EQ(record.modules[0].batches, 1U);
  EXPECT_EQ(record.modules[1].batches, 1U);
}

TEST(Groups, RequestsAreDueAsTheirStreamsSay) {
  // Nine requests for b come at 0: a batch of one runs to 10 ms, then a batch of eight, since their queue is
  // longer than the queue of a, whose request was sent at 5 ms. At 20 ms a has its turn.
  const std::vector<TimeNs> times = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5 * kMs};
  const std::vector<StreamId> streams = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
  EXPECT_EQ(simulate(two_models(1, times, streams), nullptr).in_time, 10U) << "due at 25 ms";
  RunSpec spec = two_models(1, times, streams);
  spec.streams[0].slo_ns = 15 * kMs;
  const RunRecord dropped = simulate(spec, nullptr);
  EXPECT_EQ(dropped.in_time, 9U);
  EXPECT_EQ(dropped.modules[0].dropped[static_cast<std::size_t>(DropReason::kExpired)], 1U) << "due at 20 ms";
}

// In the run of the test before the request for a, stream 0, is dropped at 20 ms; eight of the nine requests
// for b end at 20 ms.
TEST(Groups, RowsAndCountsTellWhoseRequestsWereServed) {
  const std::vector<StreamId> streams = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
  RunSpec spec = two_models(1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 5 * kMs}, streams);
  spec.streams[0].slo_ns = 15 * kMs;
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  ASSERT_EQ(rows.request_rows.size(), 10U);
  for (const RequestRow& row : rows.request_rows) {
    EXPECT_EQ(row.stream, streams[row.request]);
    EXPECT_EQ(row.slo_ns, (row.stream == 0 ? 15 : 100) * kMs);
    EXPECT_EQ(row.outcome, row.stream == 0 ? Outcome::kDropped : Outcome::kInTime);
  }
  const RequestCounts& a = record.modules[0].requests;
  const RequestCounts& b = record.modules[1].requests;
  EXPECT_EQ((std::array{a.sent, a.in_time, a.late, a.dropped}), (std::array<std::uint64_t, 4>{1, 0, 0, 1}));
  EXPECT_EQ((std::array{b.sent, b.in_time, b.late, b.dropped}), (std::array<std::uint64_t, 4>{9, 9, 0, 0}));
}

TEST(Groups, RowsKnowStreamsThatVisitsNumberModulo65536) {
  RunSpec spec = two_models(1, {0, 50 * kMs}, {0, 70'001});
  spec.streams.assign(70'002, {0, 20 * kMs, 0});
  spec.streams.back() = {1, 100 * kMs, 0};
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  ASSERT_EQ(rows.request_rows.size(), 2U);
  EXPECT_EQ(rows.request_rows[1].stream, 70'001U);
  EXPECT_EQ(rows.request_rows[1].slo_ns, 100 * kMs);
  EXPECT_EQ(record.modules[1].requests.in_time, 1U);
}

TEST(Groups, ARecordHasTheGroupsOfThePlan) {
  RunSpec spec = two_models(3, {0}, {1});
  std::vector<WorkerGroup> groups = {{2, {0, 1}}, {1, {1}}};
  groups[0].max_batches = {8, 3};
  groups[0].cycle_ns = 7 * kMs;
  groups[0].shares = {1, 3};
  groups[1].shares = {1};
  spec.system = std::make_unique<testing::GroupSystem>(groups, 0.0);
  const RunRecord record = simulate(spec, nullptr);
  ASSERT_EQ(record.groups.size(), 3U);
  const auto facts = [&record](std::size_t i) {
    const GroupRow& row = record.groups[i];
    return std::array<std::int64_t, 6>{row.at_ns,   row.group,     row.module,
                                       row.workers, row.max_batch, row.cycle_ns};
  };
  EXPECT_EQ(facts(0), (std::array<std::int64_t, 6>{0, 0, 0, 2, 8, 7 * kMs}));
  EXPECT_EQ(facts(1), (std::array<std::int64_t, 6>{0, 0, 1, 2, 3, 7 * kMs}));
  EXPECT_EQ(facts(2), (std::array<std::int64_t, 6>{0, 1, 1, 1, 8, 0})) << "the module's own largest batch";
  EXPECT_EQ(record.groups[0].share, 1);
  EXPECT_EQ(record.groups[1].share, 0.75) << "three of the four parts of its streams";
  EXPECT_EQ(record.groups[2].share, 0.25);
  spec.system = std::make_unique<testing::GroupSystem>(std::vector<WorkerGroup>{{3, {0, 1}}}, 0.0);
  EXPECT_TRUE(std::isnan(simulate(spec, nullptr).groups[0].share)) << "not planned";
}

TEST(Groups, APlanShowsTheWorkersOfAGroupAtEachOfItsModules) {
  const RunRecord record = simulate(two_models(3, {0}, {1}), nullptr);
  ASSERT_EQ(record.plans.size(), 2U);
  for (ModuleId m = 0; m < 2; ++m) {
    EXPECT_EQ(record.plans[m].module, m);
    EXPECT_EQ(record.plans[m].workers, 3U);
  }
  EXPECT_EQ(record.workers.size(), 3U);
}

TEST(Groups, AModuleMayBeInSeveral) {
  // a on workers 0 and 1, b on 1 and 2 alone: its visits take turns between the groups that serve their
  // module.
  RunSpec spec = two_models(3, {0, 0, 20 * kMs, 20 * kMs}, {0, 0, 1, 1});
  spec.system =
      std::make_unique<testing::GroupSystem>(std::vector<WorkerGroup>{{1, {0}}, {1, {0, 1}}, {1, {1}}}, 0.0);
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  ASSERT_EQ(rows.visit_rows.size(), 4U);
  EXPECT_EQ(rows.visit_rows[0].worker + rows.visit_rows[1].worker, 0U + 1U);
  EXPECT_EQ(rows.visit_rows[2].worker + rows.visit_rows[3].worker, 1U + 2U);
  for (const VisitRow& row : rows.visit_rows) EXPECT_EQ(row.batch, 1) << "each had a worker of its own";
  ASSERT_EQ(record.plans.size(), 2U);
  for (const PlanRow& row : record.plans) EXPECT_EQ(row.workers, 2U);
}

TEST(Groups, ARouterSeesTheStreamAndTheGroup) {
  RunSpec spec = two_models(2, {0, 30 * kMs, 60 * kMs, 90 * kMs}, {0, 1, 0, 2});
  spec.streams = {{0, 20 * kMs, 0}, {0, 20 * kMs, 0}, {0, 20 * kMs, 0}};
  spec.system =
      std::make_unique<testing::GroupSystem>(std::vector<WorkerGroup>{{1, {0, 1}}, {1, {0}}}, 0.0, true);
  testing::RowKeeper rows;
  simulate(spec, &rows);
  ASSERT_EQ(rows.visit_rows.size(), 4U);
  const std::vector<WorkerId> expected = {0, 1, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rows.visit_rows[i].worker, expected[i]) << i;
}

}  // namespace
}  // namespace harness
