// Hand-computed runs of single modules and chains: times, batches, GPU time, outcomes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/engine/test_system.h"
#include "harness/record/run/module_metrics.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::at_ms;
using testing::chain;
using testing::linear_profile;
using testing::RowKeeper;

/// Returns a cell with d(1) = 10 ms, d(2) = 14 ms, batches of at most 2, one worker, SLO 25 ms, and requests
/// at 0, 1, 2, 3 ms.
RunSpec four_requests(Commit commit) {
  RunSpec spec = testing::make_spec("naive", chain(1), {linear_profile("m", 4, 6, 2)}, {{2, 1}}, ms_to_ns(25),
                                    at_ms({0, 1, 2, 3}), kNsPerS);
  spec.serving.commit = commit;
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
  return spec;
}

TEST(Accounting, EarlyCommitSplitsWaitingIntoQueueingAndBatchWait) {
  RowKeeper rows;
  const RunRecord record = simulate(four_requests(Commit::kEarly), &rows);
  // Request 0 runs 0-10; 1 and 2 form the next batch, 10-24; 3 joins at its start and runs 24-34: late by 6
  // ms.
  ASSERT_EQ(rows.visit_rows.size(), 4u);
  EXPECT_EQ(rows.visit_rows[3].joined_ns, ms_to_ns(10));
  EXPECT_EQ(rows.visit_rows[3].started_ns, ms_to_ns(24));
  EXPECT_EQ(rows.visit_rows[1].batch, 2);
  EXPECT_EQ(record.modules[0].queueing_ns, ms_to_ns(10 - 3));
  EXPECT_EQ(record.modules[0].wait_ns, ms_to_ns((10 - 1) + (10 - 2) + (24 - 10)));
  EXPECT_EQ(record.modules[0].exec_ns, ms_to_ns(10 + 2 * 14 + 10));
  EXPECT_EQ(record.in_time, 3u);
  EXPECT_EQ(record.late, 1u);
  EXPECT_EQ(record.gpu_ns, ms_to_ns(34));
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(10));
  EXPECT_EQ(record.end_ns, ms_to_ns(34));
  EXPECT_EQ(record.windows[0].sent, 4u);
  EXPECT_EQ(record.windows[0].late, 1u);
}

TEST(Accounting, ABatchThatIsFullBeforeTheEndOfTheOneBeforeItHasNoHandover) {
  RunSpec spec = four_requests(Commit::kEarly);
  spec.profiles[0].handover_ns = ms_to_ns(1);
  RowKeeper rows;
  simulate(spec, &rows);
  // Request 0 finds the GPU idle: 1 + 10 ms. 1 and 2 are a full batch at 2 ms: 11-25. 3 waits for their end:
  // 25-36.
  ASSERT_EQ(rows.visit_rows.size(), 4u);
  EXPECT_EQ(rows.visit_rows[0].ended_ns, ms_to_ns(11));
  EXPECT_EQ(rows.visit_rows[1].started_ns, ms_to_ns(11));
  EXPECT_EQ(rows.visit_rows[1].ended_ns, ms_to_ns(25));
  EXPECT_EQ(rows.visit_rows[3].started_ns, ms_to_ns(25));
  EXPECT_EQ(rows.visit_rows[3].ended_ns, ms_to_ns(36));
  spec = four_requests(Commit::kLate);  // no batch is decided before the end of the one before it
  spec.profiles[0].handover_ns = ms_to_ns(1);
  EXPECT_EQ(simulate(spec, nullptr).end_ns, ms_to_ns((1 + 10) + (1 + 14) + (1 + 10)));
}

TEST(Accounting, LateCommitHasNoBatchWait) {
  const RunRecord record = simulate(four_requests(Commit::kLate), nullptr);
  EXPECT_EQ(record.modules[0].wait_ns, 0);
  EXPECT_EQ(record.modules[0].queueing_ns, ms_to_ns((10 - 1) + (10 - 2) + (24 - 3)));
  EXPECT_EQ(record.in_time, 3u);
}

TEST(Accounting, DeadlineItselfIsInTime) {
  RunSpec spec = four_requests(Commit::kEarly);
  spec.slo_ns = ms_to_ns(31);  // request 3 takes exactly 31 ms
  EXPECT_EQ(simulate(spec, nullptr).in_time, 4u);
  spec.slo_ns = ms_to_ns(31) - 1;
  EXPECT_EQ(simulate(spec, nullptr).in_time, 3u);
}

TEST(Accounting, ChainWithNetworkDelayOnEveryHop) {
  RunSpec spec =
      testing::make_spec("naive", chain(2), {linear_profile("a", 0, 10, 4), linear_profile("b", 0, 20, 4)},
                         {{4, 1}, {4, 1}}, ms_to_ns(100), at_ms({0}), kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
  spec.world.network_delay_ms = 3;
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(rows.visit_rows[0].arrived_ns, ms_to_ns(3));
  EXPECT_EQ(rows.visit_rows[1].arrived_ns, ms_to_ns(3 + 10 + 3));
  EXPECT_EQ(record.end_ns, ms_to_ns(3 + 10 + 3 + 20));
  EXPECT_EQ(rows.visit_rows[1].parent, 0);
  EXPECT_EQ(rows.visit_rows[1].visit, 1);
}

TEST(Accounting, GpuTimeOfADroppedRequestIsInvalidAndSharedByTheBatch) {
  RunSpec spec =
      testing::make_spec("naive", chain(2), {linear_profile("a", 4, 6, 2), linear_profile("b", 0, 20, 2)},
                         {{2, 1}, {2, 1}}, ms_to_ns(100), at_ms({0, 1, 2}), kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{{1, {2}}});
  const RunRecord record = simulate(spec, nullptr);
  // Module 0: request 0 alone (10 ms), then 1 and 2 together (14 ms, 7 ms each). Request 2 is dropped before
  // module 1, whose two other requests run alone, 10-30 and 30-50.
  EXPECT_EQ(record.dropped, 1u);
  EXPECT_EQ(record.in_time, 2u);
  EXPECT_EQ(record.gpu_ns, ms_to_ns(10 + 14 + 20 + 20));
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(7));
  EXPECT_EQ(record.modules[1].dropped[static_cast<std::size_t>(DropReason::kExpired)], 1u);
  EXPECT_EQ(record.workers[0].batches, 2u);
  EXPECT_EQ(record.workers[1].busy_ns, ms_to_ns(40));
}

TEST(Accounting, OfTheMeasuredPartAlone) {
  RunSpec spec = testing::make_spec("naive", chain(1), {linear_profile("m", 4, 6, 1)}, {{1, 1}}, ms_to_ns(25),
                                    at_ms({985, 995, 1000, 1002}), 2 * kNsPerS);
  spec.serving.commit = Commit::kLate;
  spec.measured_from_ns = kNsPerS;
  const RunRecord record = simulate(spec, nullptr);
  // The requests run at 985-995, 995-1005, 1005-1015 and 1015-1025 ms; the last two count.
  EXPECT_EQ(record.sent, 2u);
  EXPECT_EQ(record.in_time, 2u);
  EXPECT_EQ(record.latency_sum_ns, ms_to_ns(15 + 23));
  EXPECT_EQ(record.windows[0].sent, 0u);
  EXPECT_EQ(record.windows[1].in_time, 2u);
  EXPECT_EQ(record.modules[0].arrived, 2u);
  EXPECT_EQ(record.modules[0].queueing_ns, ms_to_ns(5 + 13));
  EXPECT_EQ(record.modules[0].batches, 2u);
  EXPECT_EQ(record.gpu_ns, ms_to_ns(20));
  // The worker is busy for 5 ms more, with the batch that began in the warm-up.
  EXPECT_EQ(record.workers[0].batches, 3u);
  EXPECT_EQ(record.workers[0].busy_ns, ms_to_ns(25));
  EXPECT_EQ(record.measured_ns(), kNsPerS);
}

TEST(Accounting, OneQueueFeedsSeveralWorkers) {
  RunSpec spec = testing::make_spec("naive", chain(1), {linear_profile("m", 0, 10, 1)}, {{1, 2}},
                                    ms_to_ns(15), at_ms({0, 0, 0}), kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
  spec.serving.queue = QueueScope::kModule;
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.end_ns, ms_to_ns(20));
  EXPECT_EQ(record.in_time, 2u);
}

/// Returns the lockstep of 64 workers, each with a batch of 10 ms every 12 ms, 50 times; worker w begins
/// `phases_ms[w]` after the start of each 12 ms.
double lockstep_of(const std::vector<double>& phases_ms) {
  std::vector<double> times_ms;
  for (int round = 0; round < 50; ++round) {
    for (const double phase_ms : phases_ms) times_ms.push_back(12 * round + phase_ms);
  }
  std::sort(times_ms.begin(), times_ms.end());
  const RunRecord record = simulate(testing::make_spec("naive", chain(1), {linear_profile("m", 0, 10, 1)},
                                                       {{1, 64}}, ms_to_ns(25), at_ms(times_ms), kNsPerS),
                                    nullptr);
  EXPECT_EQ(record.in_time, times_ms.size());
  return lockstep(record);
}

// By chance 1/12 of the other workers end in the same slot of about 1 ms; the deviation of this share over
// 2016 pairs of workers is 0.006.
TEST(Accounting, LockstepIs1InStepAnd0WithRandomPhases) {
  EXPECT_NEAR(lockstep_of(std::vector<double>(64, 0.5)), 1, 1e-3);
  RandomStream random(1, "phases");
  std::vector<double> phases_ms(64);
  for (double& phase_ms : phases_ms) phase_ms = 12 * random.uniform();
  EXPECT_NEAR(lockstep_of(phases_ms), 0, 0.03);
}

TEST(Accounting, SameSpecSameRecordToTheBit) {
  const auto fingerprint = [](std::uint64_t seed) {
    RunSpec spec =
        testing::make_spec("naive", chain(2), {linear_profile("a", 2, 6, 8), linear_profile("b", 1, 9, 8)},
                           {{8, 2}, {8, 2}}, ms_to_ns(100), testing::poisson_times(500, kNsPerS, 1), kNsPerS);
    spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
    spec.world.jitter = Jitter::kUniform;
    spec.seed = seed;
    return simulate(spec, nullptr).fingerprint;
  };
  EXPECT_EQ(fingerprint(1), fingerprint(1));
  EXPECT_NE(fingerprint(1), fingerprint(2));
}

}  // namespace
}  // namespace harness
