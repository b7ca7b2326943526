// QUART in whole runs: BERT-21B in eight stages on servers, before and behind a burst.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/serving/composed_system.h"
#include "harness/serving/test_params.h"
#include "harness/sim/test_run.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

using testing::Ran;

/// 20 requests/s for `seconds`, with 100 more within half a second from each of those times on. Starts take
/// 0.9 s from disk or memory.
RunSpec burst_cell(int seconds = 30, const std::vector<int>& bursts_s = {10}) {
  std::vector<TimeNs> sent;
  for (int i = 0; i < 20 * seconds; ++i) sent.push_back(i * ms_to_ns(50));
  for (const int from_s : bursts_s) {
    for (int i = 0; i < 100; ++i) sent.push_back(from_s * kNsPerS + i * ms_to_ns(5));
  }
  std::sort(sent.begin(), sent.end());
  const Profile stage = load_profiles("quart").profiles.at("bert-21b-8");
  RunSpec spec = testing::make_spec("quart", load_pipeline("quart-bert"), std::vector<Profile>(8, stage), {},
                                    ms_to_ns(274), sent, seconds * kNsPerS);
  spec.workers = 48;
  spec.servers = {4, 108, 1024e3, 48e3};
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start_ms = 900;
  return spec;
}

/// Workers that were planned to serve the module at that time.
int serving(const Ran& ran, std::uint16_t module, double at_ms) {
  int workers = 0;
  for (const WorkerTotals& worker : ran.record.workers) {
    if (worker.module == module && worker.added_ns <= ms_to_ns(at_ms) && worker.removed_ns > ms_to_ns(at_ms))
      ++workers;
  }
  return workers;
}

TEST(QuartRun, ScalesUpBehindABurstAndReclaims) {
  const Ran ran(burst_cell());
  EXPECT_EQ(ran.record.sent, 700u);
  EXPECT_EQ(ran.record.dropped, 0u);
  EXPECT_EQ(serving(ran, 0, 9'900), 1);
  EXPECT_GT(serving(ran, 0, 10'700), 2) << "before the burst has passed";
  int most = 0;
  for (std::uint16_t m = 0; m < 8; ++m) {
    EXPECT_LE(serving(ran, m, 29'800), 2) << "after the burst, stage " << m;
    most = std::max(most, serving(ran, m, 12'000));
  }
  EXPECT_GT(most, 1);
}

TEST(QuartRun, EndsTheBurstSoonerThanReplicasForTheRateAlone) {
  RunSpec fixed = burst_cell();
  testing::set_param(fixed, "corrector", std::string("none"));
  testing::set_param(fixed, "smoother", false);
  fixed.arrivals = burst_cell().arrivals->restarted();
  const Ran slow(fixed);
  const Ran fast(burst_cell());
  const auto over = [](const Ran& ran) {
    return std::ranges::count_if(ran.rows.request_rows, [](const RequestRow& row) {
      return row.end_ns - row.sent_ns > ms_to_ns(1000);
    });
  };
  EXPECT_LT(over(fast), over(slow));
}

/// Two bursts, between which InferLine's Tuner goes down; its sample has none.
RunSpec two_bursts_cell(std::unique_ptr<System> system) {
  RunSpec spec = burst_cell(60, {10, 40});
  spec.system = std::move(system);
  PlanningTimes planning;
  planning.sample_ns = 30 * kNsPerS;
  for (int i = 0; i < 600; ++i) planning.sample.push_back(i * ms_to_ns(50));
  spec.planning = std::make_shared<const PlanningTimes>(planning);
  spec.world.cold_start = ColdStart::kCached;
  return spec;
}

// Naive serves in order of arrival, too, and drops nothing; the placement is the planner's.
TEST(QuartRun, NaiveByItsPlansIsQuart) {
  const RunRecord own = simulate(burst_cell(), nullptr);
  RunSpec spec = burst_cell();
  spec.system = composed_system(find_system("naive")->make(), find_system("quart")->make());
  EXPECT_EQ(simulate(spec, nullptr).fingerprint, own.fingerprint);
}

TEST(QuartRun, ByInferLinesPlansItIsInferLineWithCopiesAndPlacement) {
  const auto on_inferline = [](const ParamValues& params) {
    auto quart = find_system("quart")->make();
    set_params(*quart, params);
    return simulate(two_bursts_cell(composed_system(std::move(quart), find_system("inferline")->make())),
                    nullptr);
  };
  const RunRecord inferline = simulate(two_bursts_cell(find_system("inferline")->make()), nullptr);
  const RunRecord without =
      on_inferline({{"cache", std::string("none")}, {"placement", std::string("first_fit")}});
  EXPECT_EQ(without.fingerprint, inferline.fingerprint);
  const auto from_memory = [](const RunRecord& record) {
    return std::ranges::count_if(record.workers, [](const WorkerTotals& worker) {
      return worker.from_memory && worker.added_ns >= 40 * kNsPerS;
    });
  };
  EXPECT_EQ(from_memory(inferline), 0);
  EXPECT_GT(from_memory(on_inferline({})), 0) << "what the first burst enlarged is key";
}

TEST(QuartRun, EqualSeedsEqualBits) {
  RunSpec spec = burst_cell();
  spec.world.jitter = Jitter::kUniform;
  spec.world.jitter_fraction = 0.3;
  RunSpec again = burst_cell();
  again.world = spec.world;
  EXPECT_EQ(simulate(spec, nullptr).fingerprint, simulate(again, nullptr).fingerprint);
}

TEST(QuartRun, APipelineOfServicesIsPlannedByTheSharedPlanner) {
  RunSpec spec = burst_cell();
  spec.profiles[0].service = Service::kShared;
  EXPECT_EQ(spec.system->replan_period_ns(make_context(spec)), 0);
  EXPECT_EQ(spec.system->make_planner(make_context(spec)), nullptr);
}

}  // namespace
}  // namespace harness
