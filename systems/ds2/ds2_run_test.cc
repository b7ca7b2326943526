// DS2 in whole runs: the effect of a change on every single query.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::Ran;

/// 100 ms a query; 9 queries/s for 30 s, then 25 for 30 s, each 20 ms after a round time. Decisions every 10
/// s.
RunSpec rising_cell() {
  std::vector<TimeNs> sent;
  for (int i = 0; i < 270; ++i) sent.push_back(20 * kNsPerMs + i * (kNsPerS / 9));
  for (int i = 0; i < 750; ++i) sent.push_back(30 * kNsPerS + 20 * kNsPerMs + i * (kNsPerS / 25));
  RunSpec spec = testing::make_spec("ds2", testing::chain(1), {testing::linear_profile("m", 100, 0, 8)}, {},
                                    ms_to_ns(500), sent, 60 * kNsPerS);
  spec.workers = 4;
  spec.serving.queue = QueueScope::kModule;
  spec.world.cold_start_ms = 1000;
  testing::set_param(spec, "margin", 0.0);
  testing::set_param(spec, "activation", 1.0);
  testing::set_param(spec, "warm_up_s", 0.0);
  testing::set_param(spec, "halt_s", 3.0);
  return spec;
}

TEST(Ds2Run, AChangeHoldsEveryLaunchUntilTheHaltEnds) {
  RunSpec spec = rising_cell();
  // The first plan is for the rate to provision for, the mean of the run: 17 queries/s, 2 workers.
  const Ran ran(spec);
  std::vector<double> starts = ran.starts();
  std::sort(starts.begin(), starts.end());
  const auto first_from = [&](double at_ms) { return std::lower_bound(starts.begin(), starts.end(), at_ms); };
  // In [0, 30) 0.9 workers are needed: one fewer, no change. In [30, 40) 2.5: three.
  EXPECT_EQ(ran.record.workers.size(), 3u);
  const auto halt = first_from(40'000);
  ASSERT_NE(halt, starts.end());
  EXPECT_DOUBLE_EQ(*halt, 43'000);
  EXPECT_DOUBLE_EQ(*(halt + 2), 43'000) << "all three at once";
  EXPECT_DOUBLE_EQ(*(halt + 3), 43'100);
  EXPECT_LT(*(halt - 1), 40'000);
  EXPECT_EQ(ran.record.sent, 1020u);
  EXPECT_EQ(ran.record.dropped, 0u);
  EXPECT_GT(ran.record.late, 75u) << "what came during the halt";
}

TEST(Ds2Run, WithoutAHaltTheSameChangeOnlyAddsAWorker) {
  RunSpec spec = rising_cell();
  testing::set_param(spec, "halt_s", 0.0);
  const Ran ran(spec);
  EXPECT_EQ(ran.record.workers.size(), 3u);
  std::vector<double> starts = ran.starts();
  std::sort(starts.begin(), starts.end());
  for (std::size_t i = 1; i < starts.size(); ++i) ASSERT_LT(starts[i] - starts[i - 1], 150) << starts[i];
}

// As above, but from one worker: [0, 10) needs 0.9, one; what lacks comes with the decision on [30, 40).
TEST(Ds2Run, GoesOnFromAStartOfOneWorker) {
  RunSpec spec = rising_cell();
  spec.planner.initial_workers = 1;
  const Ran ran(spec);
  EXPECT_EQ(ran.record.workers.size(), 3u);
  std::vector<double> starts = ran.starts();
  std::sort(starts.begin(), starts.end());
  const auto halt = std::lower_bound(starts.begin(), starts.end(), 40'000);
  EXPECT_DOUBLE_EQ(*halt, 43'000);
  EXPECT_DOUBLE_EQ(*(halt + 2), 43'000) << "all three at once";
  for (auto start = starts.begin() + 1; start != halt; ++start)
    ASSERT_GE(*start - *(start - 1), 100 - 1e-6) << "one worker until then";
}

TEST(Ds2Run, RefusesQueuesOfSingleWorkersUnlessNothingHalts) {
  RunSpec spec = rising_cell();
  spec.planning =
      std::make_shared<const PlanningTimes>(PlanningTimes{{0, kNsPerS}, {}, 2 * kNsPerS, {}, {}, 0});
  EXPECT_NE(spec.system->make_planner(make_context(spec)), nullptr);
  spec.serving.queue = QueueScope::kWorker;
  EXPECT_THROW(spec.system->make_planner(make_context(spec)), InputError);
  testing::set_param(spec, "halt_s", 0.0);
  EXPECT_NE(spec.system->make_planner(make_context(spec)), nullptr);
}

TEST(Ds2Run, APipelineOfServicesIsPlannedByTheSharedPlanner) {
  RunSpec spec = rising_cell();
  spec.profiles[0].service = Service::kShared;
  EXPECT_EQ(spec.system->replan_period_ns(make_context(spec)), 0);
  EXPECT_EQ(spec.system->make_planner(make_context(spec)), nullptr);
}

}  // namespace
}  // namespace harness
