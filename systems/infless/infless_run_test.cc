// INFless in whole runs: QUART's models as functions on servers, and the time that batches wait.
#include <gtest/gtest.h>

#include <vector>

#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::Ran;

/// One of QUART's models as a function with twice its time as SLO, on servers of 4 GPUs and 108 cores;
/// instances start from disk. `rates`: requests/s for 60 s each, evenly spaced.
RunSpec quart_cell(double latency_ms, double memory_mb, int gpus, const std::vector<double>& rates) {
  std::vector<TimeNs> sent;
  for (std::size_t minute = 0; minute < rates.size(); ++minute) {
    const auto count = static_cast<int>(60 * rates[minute]);
    for (int i = 0; i < count; ++i)
      sent.push_back(static_cast<TimeNs>(minute) * 60 * kNsPerS + i * (60 * kNsPerS / count));
  }
  Profile profile = testing::linear_profile("m", 0, latency_ms, 1);
  profile.memory_mb = memory_mb;
  profile.gpus = gpus;
  profile.cpu_ns = ms_to_ns(1.32 * latency_ms);
  profile.cores = 2;
  RunSpec spec = testing::make_spec("infless", testing::chain(1), {profile}, {}, ms_to_ns(2 * latency_ms),
                                    sent, static_cast<TimeNs>(rates.size()) * 60 * kNsPerS);
  spec.workers = 16;
  spec.servers = {4, 108, 1'024'000, 48'000};
  spec.world.cold_start = ColdStart::kCached;
  spec.world.cold_start_ms = 0;
  spec.serving.queue = QueueScope::kModule;
  return spec;
}

// BERT-21B: 7 requests/s an instance. At first the mean of the run is planned for, 8/s: two. After the first
// second of 14/s these suffice; 21/s need three, and the third is read from disk in 45 s.
TEST(InflessRun, BertStartsAnInstanceFromDiskIn45Seconds) {
  RunSpec spec = quart_cell(137, 43'000, 1, {2, 2, 20});
  testing::set_param(spec, "keep_alive", std::string("fixed"));
  testing::set_param(spec, "keep_alive_s", 30.0);
  const Ran ran(spec);
  ASSERT_EQ(ran.record.workers.size(), 4u);
  EXPECT_EQ(ran.record.workers[1].added_ns, 0);
  EXPECT_NEAR(ns_to_s(ran.record.workers[1].removed_ns), 31, 0.2) << "idle from the first second on";
  for (const std::size_t worker : {2u, 3u}) {
    EXPECT_EQ(ran.record.workers[worker].added_ns, 121 * kNsPerS);
    EXPECT_EQ(ran.record.workers[worker].ready_ns, 166 * kNsPerS);
  }
  EXPECT_EQ(ran.record.dropped, 0u);
  EXPECT_GT(ran.record.late, 600u) << "what comes while they start";
}

// OPT-66B: 132 GB on three GPUs, one instance on each of four servers, 3.6 requests/s each.
TEST(InflessRun, OptTakesThreeGpusOfAServer) {
  const Ran ran(quart_cell(278, 132'000, 3, {30}));
  ASSERT_EQ(ran.record.workers.size(), 4u);
  for (const WorkerTotals& worker : ran.record.workers) EXPECT_EQ(worker.gpus, 3);
  EXPECT_EQ(ran.record.dropped, 0u);
}

// 10 ms a request, SLO 200 ms. 25/s: batches of four (r_low 25) fill in 160 ms; the first request of each
// has waited for 120 ms then.
TEST(InflessRun, BatchesWaitUntilTheyAreFull) {
  std::vector<TimeNs> sent;
  for (int i = 0; i < 250; ++i) sent.push_back(i * 40 * kNsPerMs);
  RunSpec spec = testing::make_spec("infless", testing::chain(1), {testing::linear_profile("m", 10, 0, 8)},
                                    {}, ms_to_ns(200), sent, 10 * kNsPerS);
  spec.workers = 4;
  const Ran ran(spec);
  EXPECT_EQ(ran.record.late, 0u);
  EXPECT_EQ(ran.record.in_time, 250u);
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.request < 248) {
      EXPECT_EQ(row.started_ns, sent[row.request - row.request % 4] + ms_to_ns(120));
    }
  }
  EXPECT_EQ(ran.visit(249, 0).started_ns, sent[248] + ms_to_ns(160)) << "the last two wait for the timeout";
}

TEST(InflessRun, APipelineOfServicesIsPlannedByTheSharedPlanner) {
  RunSpec spec = quart_cell(137, 43'000, 1, {2});
  EXPECT_NE(spec.system->make_planner(make_context(spec)), nullptr);
  EXPECT_EQ(spec.system->replan_period_ns(make_context(spec)), kNsPerS);
  spec.profiles[0].service = Service::kShared;
  EXPECT_EQ(spec.system->replan_period_ns(make_context(spec)), 0);
  EXPECT_EQ(spec.system->make_planner(make_context(spec)), nullptr);
}

}  // namespace
}  // namespace harness
