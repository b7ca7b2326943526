#include "harness/views/cell_times.h"

#include <gtest/gtest.h>

#include "harness/engine/bounds/test_offline_schedule.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// Returns a run in which batches of b take b + 4 ms at m0, and b + 9, b + 19 and b + 29 ms at the others,
/// with 1 ms on the way to each.
RunSpec spec_of(const Pipeline& pipeline, const std::vector<TimeNs>& times) {
  std::vector<Profile> profiles;
  for (const double beta_ms : {4.0, 9.0, 19.0, 29.0})
    profiles.push_back(testing::linear_profile("m", 1, beta_ms, 4));
  RunSpec spec = testing::make_spec("naive", pipeline, profiles, std::vector<ModuleOverride>(4, {4, 1}),
                                    ms_to_ns(100), times, kNsPerS);
  spec.world.network_delay_ms = 1;
  return spec;
}

TEST(ExplainTimes, AddsUpTheLongestWay) {
  const RunSpec spec = spec_of(testing::diamond(), {0});
  const LeastTimes least(spec, RunRecord());
  EXPECT_EQ(least.hop_ns(), ms_to_ns(1));
  EXPECT_EQ(least.exec_ns(0, 1), ms_to_ns(10));
  EXPECT_EQ(least.from_ns(0, 3), ms_to_ns(30));
  EXPECT_EQ(least.from_ns(0, 1), ms_to_ns(10 + 1 + 30));
  EXPECT_EQ(least.from_ns(0, 0), ms_to_ns(5 + 1 + 20 + 1 + 30)) << "by m2, the longer branch";
  EXPECT_EQ(least.whole_ns(0, 0), ms_to_ns(1 + 57));
}

TEST(ExplainTimes, GoesTheRequestsOwnWay) {
  const RunSpec spec = spec_of(testing::diamond_of_one(), {0});
  const LeastTimes least(spec, RunRecord());
  const Routes routes(spec.pipeline, spec.seed);
  for (RequestId request = 0; request < 20; ++request) {
    const bool by_first = routes[routes.of(request)].visits(1);
    EXPECT_EQ(least.whole_ns(request, 0), ms_to_ns(by_first ? 48 : 58));
  }
}

TEST(ExplainTimes, CountsTheCoresThatAPlanGave) {
  RunSpec spec = spec_of(testing::chain(4), {0});
  spec.profiles[0].cpu_ns = ms_to_ns(4);
  spec.profiles[0].cores = 1;
  RunRecord record;
  EXPECT_EQ(LeastTimes(spec, record).exec_ns(0, 0), ms_to_ns(5));
  record.plans = {{0, 0, 1, 4, 0, 0, 0, 2}};
  EXPECT_EQ(LeastTimes(spec, record).exec_ns(0, 0), ms_to_ns(3)) << "1 ms of GPU and 4 / 2 of processor";
}

TEST(ExplainTimes, LooksUpWhomTheOfflineScheduleServes) {
  const std::vector<TimeNs> times = testing::poisson_times(200, kNsPerS, 3);
  const RunSpec spec = spec_of(testing::chain(4), times);
  const RunRecord record = testing::fixed_plan(spec, times.size(), std::vector<ModuleOverride>(4, {4, 1}));
  std::vector<std::uint64_t> all;
  for (std::uint64_t request = 0; request < times.size(); ++request) all.push_back(request);
  const OfflineAnswer answer = offline_answer(spec, record, all);
  ASSERT_TRUE(answer.in_time.has_value());
  EXPECT_EQ(answer.end_ns.size(), *answer.in_time);
  EXPECT_LT(*answer.in_time, times.size()) << "an overload";
  const LeastTimes least(spec, record);
  for (const auto& [request, end_ns] : answer.end_ns) {
    EXPECT_LE(end_ns, times[request] + spec.slo_ns);
    EXPECT_GE(end_ns, times[request] + *least.whole_ns(request, 0));
  }
}

TEST(ExplainTimes, SaysWhyThereIsNoSchedule) {
  RunSpec spec = spec_of(testing::chain(4), {0});
  RunRecord record = testing::fixed_plan(spec, 1, std::vector<ModuleOverride>(4, {4, 1}));
  EXPECT_EQ(offline_answer(spec, record, {}).why_none, "");
  record.shares_workers = true;
  EXPECT_EQ(offline_answer(spec, record, {}).why_none, "workers serve several modules");
  spec.world.jitter = Jitter::kUniform;
  const OfflineAnswer answer = offline_answer(spec, record, {0});
  EXPECT_EQ(answer.why_none, "execution times have jitter");
  EXPECT_FALSE(answer.in_time.has_value());
}

TEST(ExplainTimes, OfASettingThatIsNotHereSaysSo) {
  CellContents cell;
  cell.summary.cell.effective_toml = "[workload]\npipelines = [\"none.toml\"]\ntraces = [\"poisson\"]\n";
  const CellTimes times = cell_times("r.h5", cell, ".", {0});
  EXPECT_FALSE(times.least.has_value());
  EXPECT_NE(times.why_none.find("r.h5"), std::string::npos) << times.why_none;
  EXPECT_EQ(times.offline.why_none, "the cell cannot be made again here");
}

}  // namespace
}  // namespace harness
