// QUART in whole runs: BERT-21B in eight stages on servers, before and behind a burst.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/sim/test_run.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

using testing::Ran;

/// 20 requests/s for 30 s, with 100 more within half a second from 10 s on. Starts take 0.9 s from disk or
/// memory.
RunSpec burst_cell() {
  std::vector<TimeNs> sent;
  for (int i = 0; i < 600; ++i) sent.push_back(i * ms_to_ns(50));
  for (int i = 0; i < 100; ++i) sent.push_back(10 * kNsPerS + i * ms_to_ns(5));
  std::sort(sent.begin(), sent.end());
  const Profile stage = load_profiles("quart").profiles.at("bert-21b-8");
  RunSpec spec = testing::make_spec("quart", load_pipeline("quart-bert"), std::vector<Profile>(8, stage), {},
                                    ms_to_ns(274), sent, 30 * kNsPerS);
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
