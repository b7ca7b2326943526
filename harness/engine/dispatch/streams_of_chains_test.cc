// Several pipelines side by side, each a chain with streams of its own: each is served as it would be alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/serving/planner_params.h"
#include "harness/sim/test_groups.h"
#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::Ran;

struct Part {
  std::size_t stages = 1;
  double stage_ms = 10;
  double slo_ms = 100;
  double rate_rps = 10;
};

/// The parts: Whisper, BERT and LLAMA in eight stages (QUART, Table 1), and a single model.
const std::vector<Part> kParts = {
    {8, 9.25, 148, 60}, {8, 17.125, 274, 25}, {8, 30.375, 486, 12}, {1, 50, 120, 7}};
constexpr TimeNs kLength = 40 * kNsPerS;

std::vector<TimeNs> times_of(std::size_t part) {
  // The rate is twice as high in the second half.
  std::vector<TimeNs> times = testing::poisson_times(kParts[part].rate_rps, kLength / 2, part);
  for (const TimeNs time : testing::poisson_times(2 * kParts[part].rate_rps, kLength / 2, 100 + part))
    times.push_back(kLength / 2 + time);
  return times;
}

void settle(RunSpec& spec) {
  spec.workers = 200;  // so that nobody waits for a GPU
  spec.seed = 7;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.planner.workers = WorkerRule::kRate;
  spec.planner.autoscale = true;
  spec.planner.period_s = 1;
  spec.planner.scale_down_s = 3;
  spec.planner.max_batch = 1;
  spec.planner.sizing_factor = 1;
  spec.world.cold_start_ms = 700;
  spec.system = find_system("naive")->make();
}

/// Returns a cell with these parts as independent chains.
RunSpec side_by_side(const std::vector<std::size_t>& parts) {
  RunSpec spec;
  std::vector<std::size_t> lengths;
  std::vector<std::pair<TimeNs, StreamId>> requests;
  for (const std::size_t part : parts) {
    const auto entry = static_cast<ModuleId>(spec.profiles.size());
    const auto stream = static_cast<StreamId>(spec.streams.size());
    lengths.push_back(kParts[part].stages);
    spec.streams.push_back({entry, ms_to_ns(kParts[part].slo_ms), kParts[part].rate_rps});
    for (std::size_t i = 0; i < kParts[part].stages; ++i)
      spec.profiles.push_back(linear_profile("m", 0, kParts[part].stage_ms, 1));
    for (const TimeNs time : times_of(part)) requests.emplace_back(time, stream);
  }
  spec.pipeline = testing::independent(lengths);
  spec.pipeline.independent = true;
  for (const Stream& stream : spec.streams) spec.slo_ns = std::max(spec.slo_ns, stream.slo_ns);
  spec.arrivals = testing::arrivals_of(std::move(requests), kLength);
  settle(spec);
  return spec;
}

TEST(StreamsOfChains, AreEachServedAsAlone) {
  const RunSpec spec = side_by_side({0, 1, 2, 3});
  const Ran all(spec);
  std::uint64_t sent = 0;
  std::uint64_t late = 0;
  ModuleId entry = 0;
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    SCOPED_TRACE(part);
    const RunSpec own = side_by_side({part});
    const Ran alone(own);
    const RequestCounts& counts = all.record.modules[entry].requests;
    EXPECT_EQ(counts.sent, alone.record.sent);
    EXPECT_EQ(counts.in_time, alone.record.in_time);
    EXPECT_EQ(counts.late, alone.record.late);
    std::vector<TimeNs> ends;
    for (const RequestRow& row : all.rows.request_rows) {
      if (row.stream != part) continue;
      EXPECT_EQ(row.slo_ns, ms_to_ns(kParts[part].slo_ms));
      ends.push_back(row.end_ns);
    }
    ASSERT_EQ(ends.size(), alone.rows.request_rows.size());
    for (std::size_t i = 0; i < ends.size(); ++i) ASSERT_EQ(ends[i], alone.rows.request_rows[i].end_ns) << i;
    for (std::size_t i = 0; i < kParts[part].stages; ++i) {
      EXPECT_EQ(all.record.modules[entry + i].queueing_ns, alone.record.modules[i].queueing_ns);
      EXPECT_EQ(all.record.modules[entry + i].requests.sent, i == 0 ? counts.sent : 0U);
    }
    EXPECT_GE(fluid_bound(own, alone.record), alone.record.in_time);
    sent += alone.record.sent;
    late += alone.record.late;
    entry = static_cast<ModuleId>(entry + kParts[part].stages);
  }
  EXPECT_EQ(all.record.sent, sent);
  EXPECT_EQ(all.record.late, late);
  EXPECT_GT(late, 50U) << "when the rate doubles";
  EXPECT_GT(all.record.in_time, sent / 2);
  EXPECT_GE(fluid_bound(spec, all.record), all.record.in_time);
}

// 60 x 9.25 ms = 0.56, 25 x 17.125 ms = 0.43, 12 x 30.375 ms = 0.36 and 7 x 50 ms = 0.35 of a worker: one
// each. In the second half twice that.
TEST(StreamsOfChains, AreSizedByTheirOwnRates) {
  const RunSpec spec = side_by_side({0, 1, 2, 3});
  const Plan plan = initial_plan(spec, 104);
  for (const ModulePlan& module : plan.modules) EXPECT_EQ(module.workers, 1);
  EXPECT_EQ(plan.modules[0].budget_ns, ms_to_ns(148) / 8);
  EXPECT_EQ(plan.modules[24].budget_ns, ms_to_ns(120));
  const Ran ran(spec);
  std::vector<int> most(spec.profiles.size(), 0);
  for (const PlanRow& row : ran.record.plans) most[row.module] = std::max<int>(most[row.module], row.workers);
  EXPECT_GE(most[7], 2);
  EXPECT_LE(most[7], 3) << "Poisson counts of a second vary";
  // Balanced: each module in proportion to what its stream needs.
  RunSpec balanced = side_by_side({0, 1, 2, 3});
  balanced.planner.workers = WorkerRule::kBalanced;
  balanced.planner.autoscale = false;
  const Plan shared = initial_plan(balanced, 104);
  int sum = 0;
  for (const ModulePlan& module : shared.modules) sum += module.workers;
  EXPECT_EQ(sum, 200);
  EXPECT_NEAR(shared.modules[0].workers, 200 * 0.555 / (8 * (0.555 + 0.428 + 0.3645) + 0.35), 1);
  EXPECT_NEAR(shared.modules[24].workers, 200 * 0.35 / (8 * (0.555 + 0.428 + 0.3645) + 0.35), 1);
}

TEST(StreamsOfChains, AChainLongerThanItsSloIsNamed) {
  RunSpec spec = side_by_side({0, 1});
  spec.streams[1].slo_ns = ms_to_ns(136);
  try {
    initial_plan(spec, 85);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("137 ms on the longest path of 'independent' from m8"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("at most the SLO, 136 ms"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace harness
