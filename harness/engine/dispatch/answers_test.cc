// The answers of requests to a task tree, whole or partial, and the outcomes of their paths.
#include <gtest/gtest.h>

#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::tree;
using testing::tree_cell;
using testing::variant;

/// Returns a cell with a detector of 10 ms that finds five cars, and a classifier of `car_ms`. Its batches
/// hold two cars, but the first car to come runs alone.
RunSpec five_cars(double car_ms, Answers answers, TimeNs slo_ns) {
  const Pipeline pipeline =
      tree({{"detect", {"cars"}, {variant("d", 1, {5})}}, {"cars", {}, {variant("c", 0.5)}}});
  testing::TreeRules rules{{{1, 1}}};
  rules.max_batch = 2;
  RunSpec spec = tree_cell(pipeline, {linear_profile("d", 0, 10, 2), linear_profile("c", 0, car_ms, 2)},
                           rules, {0}, kNsPerS);
  spec.slo_ns = slo_ns;
  spec.answers = answers;
  return spec;
}

TEST(Answers, EachPathIsInTimeOrLateByItself) {
  // Cars end at 20, 30, 30, 40, 40 ms, whatever counts as an answer; the request is late either way.
  for (const Answers answers : {Answers::kWhole, Answers::kPartial}) {
    const RunRecord record = simulate(five_cars(10, answers, 30 * kMs), nullptr);
    EXPECT_EQ(record.late, 1U);
    EXPECT_EQ(record.windows[0].paths.in_time, 3U);
    EXPECT_EQ(record.windows[0].paths.late, 2U);
    EXPECT_EQ(record.windows[0].paths.lost, 0U);
    EXPECT_DOUBLE_EQ(record.windows[0].paths.accuracy_sum, 5 * 0.5);
  }
}

/// The classifier's worker stops at 25 ms, when one car of five has been served and two are running; nobody
/// takes the other two.
RunSpec broken_classifier(Answers answers, TimeNs slo_ns) {
  RunSpec spec = five_cars(10, answers, slo_ns);
  spec.faults = {testing::fault_of(FaultKind::kStop, 25, 1000, 1)};
  return spec;
}

TEST(Answers, ALostVisitFailsTheWholeRequest) {
  testing::RowKeeper rows;
  const RunRecord record = simulate(broken_classifier(Answers::kWhole, kNsPerS), &rows);
  EXPECT_EQ(record.dropped, 1U);
  EXPECT_EQ(rows.request_rows[0].outcome, Outcome::kDropped);
  EXPECT_EQ(rows.request_rows[0].module, 1);
  EXPECT_EQ(record.gpu_invalid_ns, record.gpu_ns);
  EXPECT_EQ(record.windows[0].paths.in_time, 1U);
  EXPECT_EQ(record.windows[0].paths.lost, 4U);
}

TEST(Answers, ARequestIsAnsweredByThePathsThatAreLeft) {
  testing::RowKeeper rows;
  const RunRecord record = simulate(broken_classifier(Answers::kPartial, kNsPerS), &rows);
  EXPECT_EQ(record.in_time, 1U);
  EXPECT_EQ(record.modules[1].done, 1U);
  EXPECT_EQ(record.modules[1].cancelled, 0U);
  EXPECT_EQ(record.windows[0].paths.in_time, 1U);
  EXPECT_EQ(record.windows[0].paths.lost, 4U);
  EXPECT_EQ(rows.request_rows[0].outcome, Outcome::kInTime);
  EXPECT_EQ(rows.request_rows[0].accuracy, 0.5);
  EXPECT_EQ(record.gpu_invalid_ns, 0);
  // It ends with its last visit, also if that one is lost.
  EXPECT_GE(rows.request_rows[0].end_ns, 25 * kMs);
  const TimeNs end_ns = rows.request_rows[0].end_ns;
  EXPECT_EQ(simulate(broken_classifier(Answers::kPartial, end_ns), nullptr).in_time, 1U);
  const RunRecord late = simulate(broken_classifier(Answers::kPartial, end_ns - 1), nullptr);
  EXPECT_EQ(late.late, 1U);
  EXPECT_EQ(late.windows[0].paths.in_time, 1U);
}

TEST(Answers, ARequestWithoutAServedPathIsDropped) {
  testing::TreeRules rules{{{1, 0, 1, 0}}};
  rules.refuse = 1;
  RunSpec spec = tree_cell(testing::cars(), testing::car_profiles(), rules, {0, 50 * kMs}, kNsPerS);
  spec.answers = Answers::kPartial;
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.dropped, 2U);
  EXPECT_EQ(record.modules[2].dropped[static_cast<std::size_t>(DropReason::kOverBudget)], 6U);
  EXPECT_EQ(record.windows[0].paths.lost, 6U);
  EXPECT_EQ(record.gpu_invalid_ns, 20 * kMs);
  EXPECT_EQ(rows.request_rows[0].end_ns, 10 * kMs);
  EXPECT_EQ(rows.request_rows[0].module, 2);
  EXPECT_EQ(rows.request_rows[0].reason, DropReason::kOverBudget);
}

TEST(Answers, ABranchWithoutWorkersCostsOnlyItself) {
  // Two cars a frame, and one face that no worker knows.
  const Pipeline pipeline = tree({{"detect", {"faces", "cars"}, {variant("d", 1, {1, 2})}},
                                  {"faces", {}, {variant("f", 1)}},
                                  {"cars", {}, {variant("c", 0.8)}}});
  const bool cars_first = pipeline.modules[1].name == "cars:c";
  std::vector<Profile> profiles;
  for (int m = 0; m < 3; ++m) profiles.push_back(linear_profile("m", 0, 5, 1));
  const testing::TreeRules rules{{{1, cars_first ? 1 : 0, cars_first ? 0 : 1}}};
  for (const Answers answers : {Answers::kWhole, Answers::kPartial}) {
    RunSpec spec = tree_cell(pipeline, profiles, rules, {0}, kNsPerS);
    spec.answers = answers;
    testing::RowKeeper rows;
    const RunRecord record = simulate(spec, &rows);
    const bool is_partial = answers == Answers::kPartial;
    EXPECT_EQ(record.in_time, is_partial ? 1U : 0U);
    EXPECT_EQ(record.dropped, is_partial ? 0U : 1U);
    EXPECT_EQ(record.windows[0].paths.in_time, is_partial ? 2U : 0U);
    EXPECT_EQ(record.windows[0].paths.lost, is_partial ? 1U : 3U) << "cars that were never sent count too";
    EXPECT_EQ(rows.request_rows[0].end_ns, is_partial ? 15 * kMs : 5 * kMs);
  }
}

}  // namespace
}  // namespace harness
