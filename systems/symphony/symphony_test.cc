// Symphony in the engine, in virtual time.
#include "systems/symphony/symphony.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/sim/simulation.h"
#include "systems/symphony/symphony_latency.h"
#include "systems/symphony/test_symphony_simulator.h"
#include "systems/test_system_cells.h"

namespace harness {
namespace {

/// nexuslb's example: 1.082 b + 5.204 ms, SLO 100 ms.
const Profile kResnet = linear_profile(5.204, 1.082, 128);

/// One model on four GPUs for 10 s; Poisson or evenly spaced arrivals.
RunRecord run(double rate_rps, bool poisson, const std::string& schedulable,
              const std::string& gpu = "idle_longest") {
  RunSpec spec = testing::independent_cell({kResnet}, {{0, 100 * kMs, 0}}, 4, make_symphony());
  testing::set_param(spec, "schedulable", schedulable);
  testing::set_param(spec, "gpu", gpu);
  RandomStream random(1, "symphony run");
  std::vector<TimeNs> times = testing::poisson_times(rate_rps, 10 * kNsPerS, 1);
  for (std::size_t i = 0; !poisson && i < times.size(); ++i)
    times[i] = s_to_ns(static_cast<double>(i) / rate_rps);
  testing::add_requests_of_streams(spec, times, 10 * kNsPerS, random);
  return simulate(spec, nullptr);
}

double mean_batch(const RunRecord& record) {
  return static_cast<double>(record.modules[0].done) / static_cast<double>(record.modules[0].batches);
}

// Four GPUs in turn start a batch every l(b) / 4: a request waits for so long and then runs, which is within
// the SLO for batches of up to 69. They carry 69 in l(69) / 4.
TEST(SymphonyRun, HasTheBatchesOfStaggeredExecution) {
  const SymphonyLatency latency(kResnet, 128);
  int bound = 1;
  while (5 * latency.of(bound + 1) <= 4 * 100 * kMs) ++bound;
  ASSERT_EQ(bound, 69);
  const double capacity_rps = 4 * bound / ns_to_s(latency.of(bound));
  for (const double share : {0.9, 0.95, 0.99}) {
    SCOPED_TRACE(share);
    const RunRecord record = run(share * capacity_rps, false, "frontrun");
    EXPECT_EQ(record.dropped, 0U);
    EXPECT_GT(mean_batch(record), 0.95 * bound);
    EXPECT_LE(mean_batch(record), bound);
  }
}

// Eager batches are small while GPUs are idle, and keep all of them busy.
TEST(SymphonyRun, HasLargerBatchesThanEagerOnesAndKeepsGpusLessBusy) {
  for (const double rate_rps : {500.0, 1500.0, 2500.0}) {
    SCOPED_TRACE(rate_rps);
    const RunRecord deferred = run(rate_rps, true, "frontrun");
    const RunRecord eager = run(rate_rps, true, "eager");
    EXPECT_GT(mean_batch(deferred), mean_batch(eager));
    EXPECT_LT(deferred.gpu_ns, eager.gpu_ns);
    EXPECT_LE(deferred.dropped, eager.dropped);
  }
}

// A batch of the last moment has no time to wait for a GPU.
TEST(SymphonyRun, DropsLessThanBatchesOfTheLastMoment) {
  const RunRecord deferred = run(3000, true, "frontrun");
  const RunRecord latest = run(3000, true, "latest");
  EXPECT_LT(deferred.dropped, latest.dropped);
  EXPECT_GT(latest.dropped, 0U);
}

// 500/s come together in batches of 30, one every 60 ms, which take 38 ms: one GPU is enough.
TEST(SymphonyRun, KeepsGpusIdle) {
  const RunRecord turns = run(500, false, "frontrun");
  const RunRecord lowest = run(500, false, "frontrun", "lowest_number");
  EXPECT_EQ(turns.in_time, turns.sent);
  EXPECT_EQ(lowest.in_time, lowest.sent);
  const std::uint64_t batches = turns.modules[0].batches;
  for (const WorkerTotals& worker : turns.workers)
    EXPECT_NEAR(static_cast<double>(worker.batches), static_cast<double>(batches) / 4, 1);
  EXPECT_EQ(lowest.workers[0].batches, batches);
}

// The engine serves and drops as many requests of each model as the rules alone, in a simulator of their own.
TEST(SymphonyRun, DecidesAsTheRulesAloneDo) {
  for (const double rate_rps : {500.0, 1500.0}) {
    SCOPED_TRACE(rate_rps);
    std::vector<CentralRequest> requests;
    RandomStream random(2, "symphony run");
    for (const TimeNs at_ns : testing::poisson_times(rate_rps, 6 * kNsPerS, 2))
      requests.push_back({static_cast<ModuleId>(random.below(2)), at_ns, at_ns + 60 * kMs});
    const SymphonyWorld world = symphony_world({kResnet, linear_profile(12, 2, 64)}, 60 * kMs, 2);
    const CentralOutcome alone = simulate_symphony(world, requests);
    RunSpec spec =
        testing::independent_cell(world.profiles, {{0, 60 * kMs, 0}, {1, 60 * kMs, 0}}, 2, make_symphony());
    spec.arrivals = testing::arrivals_of_models(requests);
    const RunRecord record = simulate(spec, nullptr);
    EXPECT_EQ(record.late, 0U);
    EXPECT_EQ(record.in_time, static_cast<std::uint64_t>(alone.in_time));
    EXPECT_EQ(record.dropped, static_cast<std::uint64_t>(alone.dropped));
    EXPECT_GT(record.in_time, 0U);
  }
}

}  // namespace
}  // namespace harness
