// `reserve` in whole simulated runs: against the optimum of small cases, and against the offline schedule.
#include <gtest/gtest.h>

#include "harness/engine/bounds/offline_schedule.h"
#include "harness/engine/bounds/test_small_optimum.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

// Requests are alike but for their sending times and due in the same order: without batches nothing is better
// than to serve them in that order and to refuse who cannot end in time.
TEST(ReserveSimulated, IsOptimalWithoutBatches) {
  RandomStream random(31, "reserve_simulated_test");
  for (int round = 0; round < 200; ++round) {
    testing::SmallCase small = testing::random_case(random, 1);
    small.hop = 0;
    for (ModuleOverride& module : small.modules) module.workers = 1;  // with more, batches are spaced
    RunSpec spec = testing::spec_of("reserve", small);
    spec.serving.queue = round % 2 == 0 ? QueueScope::kModule : QueueScope::kWorker;
    testing::set_param(spec, "margin", 0.0);
    const RunRecord record = simulate(spec, nullptr);
    ASSERT_EQ(record.in_time, static_cast<std::uint64_t>(testing::Optimum(small).find()))
        << "round " << round;
  }
}

/// Five modules in a chain, batches of 4 in 20 ms, ten workers each: 2,000 requests/s; the SLO is `factor`
/// times the least.
RunSpec long_chain(double factor, double rate_rps, QueueScope queue) {
  const Pipeline pipeline = testing::chain(5);
  RunSpec spec =
      testing::make_spec("reserve", pipeline, std::vector<Profile>(5, testing::linear_profile("m", 2, 12, 4)),
                         std::vector<ModuleOverride>(5, {4, 10}), ms_to_ns(100 * factor),
                         testing::poisson_times(rate_rps, 20 * kNsPerS, 5), 20 * kNsPerS);
  spec.workers = 50;
  spec.serving.queue = queue;
  return spec;
}

TEST(ReserveSimulated, ComesWithinOnePercentOfTheOfflineScheduleWhateverTheSizing) {
  for (const QueueScope queue : {QueueScope::kModule, QueueScope::kWorker}) {
    for (const double factor : {1.25, 2.0, 2.5}) {
      for (const double rate_rps : {1800.0, 2600.0, 6000.0}) {
        const RunSpec spec = long_chain(factor, rate_rps, queue);
        const RunRecord record = simulate(spec, nullptr);
        const auto offline = static_cast<double>(offline_schedule(spec, record).value());
        EXPECT_GE(static_cast<double>(record.in_time), 0.99 * offline) << factor << " " << rate_rps;
      }
    }
  }
}

TEST(ReserveSimulated, WastesLittleUnderJitterAndServesNearlyTheCapacity) {
  for (const QueueScope queue : {QueueScope::kModule, QueueScope::kWorker}) {
    RunSpec spec = long_chain(2, 3000, queue);
    spec.world.jitter = Jitter::kUniform;
    spec.world.jitter_fraction = 0.1;
    const RunRecord record = simulate(spec, nullptr);
    EXPECT_GE(static_cast<double>(record.in_time), 0.95 * 2000 * 20);
    EXPECT_LE(static_cast<double>(record.late), 0.01 * static_cast<double>(record.in_time));
  }
}

// Without the feedback and a margin that grows, reservations drift away from what really happens: most
// requests end late or dropped behind the admission.
TEST(ReserveSimulated, NeedsFeedbackUnderJitter) {
  RunSpec spec = long_chain(2, 3000, QueueScope::kModule);
  spec.world.jitter = Jitter::kUniform;
  spec.world.jitter_fraction = 0.1;
  testing::set_param(spec, "feedback", false);
  testing::set_param(spec, "lost_target", 1.0);
  EXPECT_LE(static_cast<double>(simulate(spec, nullptr).in_time), 0.8 * 2000 * 20);
}

}  // namespace
}  // namespace harness
