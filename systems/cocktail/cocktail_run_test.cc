// Cocktail's resource manager in whole runs.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::Ran;

/// BERT-21B in eight equal stages (QUART, Table 1) on servers of 4 GPUs, 48 in all; a stage starts in 0.5 s +
/// 5375 MB from disk.
RunSpec bert_cell(const std::vector<TimeNs>& sent, TimeNs duration_ns) {
  Profile stage = testing::linear_profile("bert", 17.125, 0, 1);
  stage.memory_mb = 5375;
  stage.cores = 2;
  RunSpec spec = testing::make_spec("cocktail", testing::chain(8), std::vector<Profile>(8, stage), {},
                                    ms_to_ns(274), sent, duration_ns);
  spec.workers = 48;
  spec.servers = {4, 108, 1024e3, 48e3};
  spec.world.cold_start = ColdStart::kCached;
  spec.world.cold_start_ms = 500;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  return spec;
}

/// 200/s for 60 s, then 20/s.
std::vector<TimeNs> falling_load() {
  std::vector<TimeNs> sent;
  for (int i = 0; i < 12'000; ++i) sent.push_back(i * (kNsPerS / 200));
  for (int i = 0; i < 2'800; ++i) sent.push_back(60 * kNsPerS + i * (kNsPerS / 20));
  return sent;
}

/// Returns the workers of a module by time, in the order of the rows.
std::vector<std::pair<double, std::uint32_t>> steps_of(const RunRecord& record, ModuleId module) {
  std::vector<std::pair<double, std::uint32_t>> steps;
  for (const PlanRow& row : record.plans) {
    if (row.module != module) continue;
    if (!steps.empty() && steps.back().first == ns_to_s(row.at_ns)) steps.pop_back();
    steps.emplace_back(ns_to_s(row.at_ns), row.workers);
  }
  return steps;
}

// From one pipeline, 58.4/s, the look at 5 s finds 708 waiting: (200 + 708 / 5) / 58.4 = 5.9, so six
// pipelines, for which there are just enough GPUs. They serve 6.1 s later. From then on the queues need no
// correction: 60 s later, with the forecast of 1.2 x 200/s in force, five remain, and after the load has
// fallen one.
TEST(CocktailRun, ScalesWholePipelinesUpFromOneAndDownAgain) {
  RunSpec spec = bert_cell(falling_load(), 200 * kNsPerS);
  spec.planner.initial_workers = 1;
  testing::set_param(spec, "scale_in_s", 60.0);
  const Ran ran(spec);
  EXPECT_EQ(ran.record.dropped, 0u);
  EXPECT_EQ(ran.record.in_time + ran.record.late, 14'800u);
  for (ModuleId m = 0; m < 8; ++m) {
    const auto steps = steps_of(ran.record, m);
    ASSERT_GE(steps.size(), 4u) << m;
    EXPECT_EQ(steps[0], std::make_pair(0.0, 1u));
    EXPECT_EQ(steps[1].second, 6u) << m;
    EXPECT_NEAR(steps[1].first, 5 + 0.5 + 5.375 / (43.0 / 45), 1e-6);
    EXPECT_EQ(steps[2].second, 5u) << m;
    EXPECT_EQ(steps.back().second, 1u) << m;
    for (const auto& [at_s, workers] : steps) EXPECT_LE(workers, 6u);
  }
}

TEST(CocktailRun, SeesWithForesightWhatItHasToStart) {
  RunSpec spec = bert_cell(falling_load(), 200 * kNsPerS);
  spec.planning = std::make_shared<const PlanningTimes>(
      PlanningTimes{falling_load(), {}, 200 * kNsPerS, falling_load(), {}, 200 * kNsPerS});
  testing::set_param(spec, "forecast", std::string("foresight"));
  const Ran ran(spec);
  EXPECT_EQ(steps_of(ran.record, 3).front(), std::make_pair(0.0, 5u)) << "1.2 x 200 / 58.4";
  EXPECT_EQ(ran.record.late, 0u);
}

TEST(CocktailRun, APipelineOfServicesIsPlannedByTheSharedPlanner) {
  RunSpec spec = bert_cell({0}, kNsPerS);
  EXPECT_NE(spec.system->make_planner(make_context(spec)), nullptr);
  spec.profiles[0].service = Service::kShared;
  EXPECT_EQ(spec.system->replan_period_ns(make_context(spec)), 0);
  EXPECT_EQ(spec.system->make_planner(make_context(spec)), nullptr);
}

}  // namespace
}  // namespace harness
