// Task trees with model variants, whose visits cause several others (Loki, sections 2.1 and 4.1).
#include <gtest/gtest.h>

#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"

namespace harness {
namespace {

using testing::car_profiles;
using testing::cars;
using testing::linear_profile;
using testing::tree;
using testing::tree_cell;
using testing::variant;

TEST(Tasks, ARequestEndsWithItsLastLeaf) {
  testing::RowKeeper rows;
  const RunRecord record = simulate(tree_cell(cars(), car_profiles(), {{{1, 0, 1, 0}}}, {0}, kNsPerS), &rows);
  // 10 ms for the frame, then three cars one after the other.
  ASSERT_EQ(rows.request_rows.size(), 1U);
  EXPECT_EQ(rows.request_rows[0].end_ns, 25 * kMs);
  EXPECT_EQ(rows.request_rows[0].module, 2);
  EXPECT_EQ(rows.request_rows[0].accuracy, 1);
  EXPECT_EQ(record.in_time, 1U);
  EXPECT_EQ(record.modules[0].done, 1U);
  EXPECT_EQ(record.modules[1].done, 0U);
  EXPECT_EQ(record.modules[2].done, 3U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows.visit_rows[i].visit, i);
    EXPECT_EQ(rows.visit_rows[i].parent, 0);
    EXPECT_EQ(rows.visit_rows[i].arrived_ns, 10 * kMs);
  }
  EXPECT_EQ(record.gpu_ns, 25 * kMs);
}

TEST(Tasks, AQueueChoosesTheVariant) {
  // Frames take turns between the detectors, cars between the classifiers: b7, b0, b7 for the first frame's
  // three; b0 for the one of the second.
  testing::RowKeeper rows;
  const RunRecord record =
      simulate(tree_cell(cars(), car_profiles(), {{{1, 1, 1, 1}}}, {0, 100 * kMs}, kNsPerS), &rows);
  ASSERT_EQ(rows.request_rows.size(), 2U);
  EXPECT_EQ(rows.request_rows[0].end_ns, 20 * kMs);
  EXPECT_DOUBLE_EQ(rows.request_rows[0].accuracy, (1 + 0.8 + 1) / 3);
  EXPECT_EQ(rows.request_rows[1].end_ns, 106 * kMs);
  EXPECT_DOUBLE_EQ(rows.request_rows[1].accuracy, 0.5 * 0.8);
  EXPECT_EQ(record.accuracy_requests, 2U);
  EXPECT_DOUBLE_EQ(record.accuracy_sum, 2.8 / 3 + 0.4);
  EXPECT_DOUBLE_EQ(record.windows[0].accuracy_sum, 2.8 / 3 + 0.4);
}

TEST(Tasks, ARequestWithoutChildrenEndsWhereItIs) {
  const Pipeline pipeline =
      tree({{"detect", {"cars"}, {variant("large", 1, {0}), variant("small", 0.5, {0})}},
            {"cars", {}, {variant("b7", 1)}}});
  testing::RowKeeper rows;
  simulate(
      tree_cell(pipeline,
                {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 4, 1), linear_profile("c", 0, 5, 1)},
                {{{0, 1, 1}}}, {0}, kNsPerS),
      &rows);
  ASSERT_EQ(rows.request_rows.size(), 1U);
  EXPECT_EQ(rows.request_rows[0].end_ns, 4 * kMs);
  EXPECT_EQ(rows.request_rows[0].accuracy, 0.5);
}

TEST(Tasks, AccuracyIsTheMeanOverThePaths) {
  // Two cars at 0.8 and one face at 0.4, of a detector of 0.5.
  const Pipeline pipeline =
      tree({{"detect", {"cars", "faces"}, {variant("best", 1, {2, 1}), variant("small", 0.5, {2, 1})}},
            {"cars", {}, {variant("b7", 1), variant("b0", 0.8)}},
            {"faces", {}, {variant("vgg", 1), variant("gender", 0.4)}}});
  std::vector<Profile> profiles;
  for (int m = 0; m < 6; ++m) profiles.push_back(linear_profile("m", 0, 5, 1));
  testing::RowKeeper rows;
  simulate(tree_cell(pipeline, profiles, {{{0, 1, 0, 1, 0, 1}}}, {0}, kNsPerS), &rows);
  ASSERT_EQ(rows.request_rows.size(), 1U);
  EXPECT_EQ(rows.request_rows[0].end_ns, 15 * kMs);
  EXPECT_DOUBLE_EQ(rows.request_rows[0].accuracy, 0.5 * (0.8 + 0.8 + 0.4) / 3);
}

TEST(Tasks, ARefusedChildFailsItsRequest) {
  testing::TreeRules rules{{{1, 0, 1, 0}}};
  rules.refuse = 1;
  testing::RowKeeper rows;
  const RunRecord record = simulate(tree_cell(cars(), car_profiles(), rules, {0, 50 * kMs}, kNsPerS), &rows);
  EXPECT_EQ(record.dropped, 2U);
  EXPECT_EQ(record.gpu_invalid_ns, 20 * kMs);
  // One of the three is dropped, its siblings are cancelled.
  EXPECT_EQ(record.modules[2].dropped[static_cast<std::size_t>(DropReason::kOverBudget)], 2U);
  EXPECT_EQ(record.modules[2].cancelled, 4U);
  EXPECT_EQ(record.modules[2].batches, 0U);
  EXPECT_EQ(rows.request_rows[0].end_ns, 10 * kMs);
  EXPECT_EQ(record.accuracy_requests, 0U);
}

TEST(Tasks, AVariantThatIsTakenAwaySendsItsQueueToAnother) {
  // Each detector gets four of the eight frames at 0; after a second only the small one is planned. The large
  // one has served a frame by then, finishes the one that runs, and may keep the one formed behind it.
  const testing::TreeRules rules{{{1, 1, 1, 0}, {0, 1, 1, 0}}};
  const std::vector<Profile> profiles = {linear_profile("large", 0, 800, 4), linear_profile("small", 0, 4, 4),
                                         linear_profile("b7", 0, 5, 4), linear_profile("b0", 0, 2, 4)};
  RunSpec spec = tree_cell(cars(), profiles, rules, std::vector<TimeNs>(8, 0), 2 * kNsPerS);
  spec.slo_ns = 20 * kNsPerS;
  spec.planner.autoscale = true;
  spec.planner.workers = WorkerRule::kRate;
  spec.planner.period_s = 1;
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.in_time, 8U);
  EXPECT_GE(record.modules[0].done, 2U);
  EXPECT_LE(record.modules[0].done, 3U);
  EXPECT_EQ(record.modules[0].done + record.modules[1].done, 8U);
  EXPECT_EQ(record.modules[2].done, 3 * record.modules[0].done + record.modules[1].done);
}

/// A run with the fan-outs that its planner was told each half second, and its refused visits.
struct MeasuredRun {
  MeasuredRun(const Pipeline& pipeline, testing::TreeRules rules, const Profile& profile, double rate_rps) {
    rules.measured = &measured;
    RunSpec spec = tree_cell(pipeline, std::vector<Profile>(3, profile), rules,
                             testing::poisson_times(rate_rps, 3 * kNsPerS, 1), 3 * kNsPerS);
    spec.planner.autoscale = true;
    spec.planner.workers = WorkerRule::kRate;
    spec.planner.period_s = 0.5;
    record = simulate(spec, nullptr);
  }
  std::uint64_t refused(std::size_t module) const {
    return record.modules[module].dropped[static_cast<std::size_t>(DropReason::kOverBudget)];
  }

  std::vector<std::vector<std::vector<double>>> measured;
  RunRecord record;
};

// Each frame causes two visits at either task. Half of the visits to the first are refused, with their
// frames.
TEST(Tasks, WhatAVariantIsSeenToCauseDoesNotDependOnRefusals) {
  const Pipeline pipeline = tree({{"detect", {"cars", "faces"}, {variant("large", 1, {2, 2})}},
                                  {"cars", {}, {variant("b7", 1)}},
                                  {"faces", {}, {variant("vgg", 1)}}});
  const MeasuredRun run(pipeline, {{{1, 1, 1}}, 4, 0.5}, linear_profile("m", 1, 2, 4), 100);
  EXPECT_GT(run.refused(1), 100U);
  ASSERT_GE(run.measured.size(), 6U);
  EXPECT_TRUE(run.measured.front().empty()) << "nothing is known before the start";
  for (std::size_t period = 1; period < 6; ++period)
    EXPECT_EQ(run.measured[period].front(), (std::vector<double>{2, 2}));
}

// Two cars a frame, two plates a car, two workers for cars. A refused plate fails its frame, whose other
// car is being served meanwhile, in vain.
TEST(Tasks, WhatAVariantIsSeenToCauseCountsVisitsServedInVain) {
  const Pipeline pipeline = tree({{"detect", {"cars"}, {variant("large", 1, {2})}},
                                  {"cars", {"plates"}, {variant("b7", 1, {2})}},
                                  {"plates", {}, {variant("lpr", 1)}}});
  const MeasuredRun run(pipeline, {{{1, 2, 1}}, 1, 0.3}, linear_profile("m", 0, 4, 1), 60);
  EXPECT_GT(run.refused(2), 20U);
  ASSERT_GE(run.measured.size(), 6U);
  for (std::size_t period = 1; period < 6; ++period)
    EXPECT_EQ(run.measured[period][1], std::vector<double>{2}) << period;
}

/// Returns the number of visits of each request. Without refusals and losses it depends on the request alone.
std::vector<std::uint64_t> visits_of(const testing::RowKeeper& rows, std::size_t requests) {
  std::vector<std::uint64_t> visits(requests, 0);
  for (const VisitRow& row : rows.visit_rows) ++visits[row.request];
  return visits;
}

// Every system gets the same work for the same frames, in whatever order.
TEST(Tasks, HowManyVisitsARequestHasDependsOnItsVariantsAlone) {
  RandomStream random(2, "tasks");
  for (int round = 0; round < 20; ++round) {
    Pipeline pipeline = testing::random_tree(random);
    const std::vector<Profile> profiles = testing::random_profiles(random, pipeline.modules.size());
    std::vector<int> one(pipeline.modules.size(), 0);
    for (const Task& task : pipeline.tasks) one[task.first] = 1;
    std::vector<int> many = one;
    for (int& workers : many) workers *= 3;
    const std::vector<TimeNs> times = testing::poisson_times(80, kNsPerS, static_cast<std::uint64_t>(round));
    testing::RowKeeper first;
    testing::RowKeeper second;
    RunSpec alone = tree_cell(pipeline, profiles, {{one}, 1}, times, kNsPerS);
    RunSpec beside = tree_cell(pipeline, profiles, {{many}, 8, 0, true}, times, kNsPerS);
    alone.seed = beside.seed = random.bits();
    simulate(alone, &first);
    simulate(beside, &second);
    EXPECT_EQ(visits_of(first, times.size()), visits_of(second, times.size()));
  }
}

}  // namespace
}  // namespace harness
