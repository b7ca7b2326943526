#include "harness/record/run/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/record/run/overload_counts.h"
#include "harness/record/run/request_metrics.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

/// Returns the record of four windows of a second, the last half as long: 3.5 s of load.
RunRecord four_windows() {
  RunRecord record;
  record.duration_ns = 3'500 * kNsPerMs;
  record.end_ns = 4 * kNsPerS;
  record.slo_ns = 400 * kNsPerMs;
  record.windows = {{80, 80, 0, 0}, {200, 90, 30, 80}, {100, 100, 0, 0}, {60, 30, 10, 20}};
  record.sent = 440;
  record.in_time = 300;
  record.late = 40;
  record.dropped = 100;
  record.gpu_ns = 8 * kNsPerS;
  record.gpu_invalid_ns = 2 * kNsPerS;
  record.wall_s = 0.5;
  record.fingerprint = 0xabcdef;
  for (int i = 1; i <= 100; ++i) record.latency.add(i * kNsPerMs);
  return record;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double always_hundred(TimeNs) { return 100; }

SummaryRow summary_of(const RunRecord& record) { return summarise({}, {record, 100, always_hundred, 375}); }

TEST(Metrics, RatesAreOverTheLoadsDuration) {
  const SummaryRow row = summary_of(four_windows());
  EXPECT_DOUBLE_EQ(row.duration_s, 3.5);
  EXPECT_DOUBLE_EQ(row["offered_rps"], 440 / 3.5);
  EXPECT_DOUBLE_EQ(row["goodput_rps"], 300 / 3.5);
  EXPECT_DOUBLE_EQ(row["fluid_bound_rps"], 375 / 3.5);
  EXPECT_DOUBLE_EQ(row["bound_share"], 0.8);
  EXPECT_DOUBLE_EQ(row["sim_requests_per_s"], 880);
  EXPECT_DOUBLE_EQ(row.slo_ms, 400);
  EXPECT_DOUBLE_EQ(row["capacity_rps"], 100);
  EXPECT_EQ(row.fingerprint, "0000000000abcdef");
}

TEST(Metrics, ALiveRunHasLatenessAndMessagesInsteadOfASpeedOfSimulation) {
  RunRecord record = four_windows();
  // 98 requests are sent 2 us late, one 30 us, one 1 ms: ranks 50, 99 and 100 of 100.
  record.schedule_lag.add(2 * kNsPerUs, 98);
  record.schedule_lag.add(30 * kNsPerUs);
  record.schedule_lag.add(kNsPerMs);
  record.clock_bound_ns = 2'500;
  record.ranks.resize(2);
  record.ranks[0].messages_sent = 10;
  record.ranks[0].bytes_sent = 640;
  record.ranks[1].messages_sent = 5;
  record.ranks[1].bytes_sent = 100;
  const SummaryRow row = summary_of(record);
  EXPECT_TRUE(std::isnan(row["sim_requests_per_s"]));
  EXPECT_DOUBLE_EQ(row["messages"], 15);
  EXPECT_DOUBLE_EQ(row["message_bytes"], 740);
  EXPECT_DOUBLE_EQ(row["clock_bound_us"], 2.5);
  const double error = LatencyHistogram::kRelativeError;
  EXPECT_GE(row["schedule_lag_us_p50"], 2);
  EXPECT_LE(row["schedule_lag_us_p50"], 2 + 1e-3 * LatencyHistogram::kResolutionNs);
  EXPECT_GE(row["schedule_lag_us_p99"], 30);
  EXPECT_LE(row["schedule_lag_us_p99"], 30 * (1 + error));
  EXPECT_GE(row["schedule_lag_us_max"], 1000);
  EXPECT_LE(row["schedule_lag_us_max"], 1000 * (1 + error));
}

TEST(Metrics, ASimulatedRunHasNoLateness) {
  const SummaryRow row = summary_of(four_windows());
  for (const double value :
       {row["schedule_lag_us_p50"], row["schedule_lag_us_p99"], row["schedule_lag_us_max"], row["messages"],
        row["message_bytes"], row["clock_bound_us"]})
    EXPECT_TRUE(std::isnan(value));
}

TEST(Metrics, LateRequestsCountAsDropped) {
  const SummaryRow row = summary_of(four_windows());
  EXPECT_DOUBLE_EQ(row["drop_rate"], 140.0 / 440.0);
  EXPECT_DOUBLE_EQ(row["invalid_rate"], 0.25);
}

TEST(Metrics, OverloadIsTheSecondsThatSendMoreThanTheCapacityThen) {
  // 200 in a second and 60 in half a second exceed 100/s; exactly 100 does not.
  const OverloadCounts counts = overload_counts(four_windows(), always_hundred);
  EXPECT_DOUBLE_EQ(counts.seconds, 1.5);
  EXPECT_EQ(counts.sent, 260u);
  EXPECT_EQ(counts.in_time, 120u);
  const SummaryRow row = summary_of(four_windows());
  EXPECT_DOUBLE_EQ(row["overload_s"], 1.5);
  EXPECT_DOUBLE_EQ(row["goodput_overload_rps"], 80);
  EXPECT_DOUBLE_EQ(row["drop_rate_overload"], 140.0 / 260.0);
}

TEST(Metrics, OverloadFollowsTheCapacityOverTime) {
  const auto capacity_at = [](TimeNs at) { return at < 2 * kNsPerS ? 300.0 : 90.0; };
  const OverloadCounts counts = overload_counts(four_windows(), capacity_at);
  EXPECT_DOUBLE_EQ(counts.seconds, 1.5);
  EXPECT_EQ(counts.sent, 160u);
}

// Three of the windows, with 80, 200 and 100 requests in a second and 60 in half of one, exceed a reference
// of 90/s, whatever the cell's own plan could serve.
TEST(Metrics, TheReferencePlanSaysWhatIsAnOverload) {
  for (const double own : {100.0, 1000.0}) {
    MeasuredRun run{four_windows(), own, [own](TimeNs) { return own; }, 375};
    run.reference_rps = 90;
    const SummaryRow row = summarise({}, run);
    EXPECT_DOUBLE_EQ(row["overload_s"], 2.5);
    EXPECT_DOUBLE_EQ(row["goodput_overload_rps"], (90 + 100 + 30) / 2.5);
    EXPECT_DOUBLE_EQ(row["drop_rate_overload"], 140.0 / 360.0);
    EXPECT_DOUBLE_EQ(row["goodput_steady_rps"], 80);
    EXPECT_DOUBLE_EQ(row["capacity_rps"], own);
  }
}

TEST(Metrics, SteadySecondsAreThoseWithoutOverload) {
  EXPECT_DOUBLE_EQ(summary_of(four_windows())["goodput_steady_rps"], (80 + 100) / 2.0);
  MeasuredRun run{four_windows(), 10, [](TimeNs) { return 10.0; }, 375};
  EXPECT_TRUE(std::isnan(summarise({}, run)["goodput_steady_rps"]));
}

// Two modules: waits of 10 and 30 ms deviate by 10, three equal ones by nothing.
TEST(Metrics, DelaysDeviateFromTheirMeanByModule) {
  RunRecord record = four_windows();
  record.modules.resize(3);
  for (const int ms : {10, 30}) record.modules[0].batch_wait.add(ms * kNsPerMs);
  record.modules[1].batch_wait.add(20 * kNsPerMs, 3);
  record.modules[0].queueing_delay.add(kNsPerMs);
  const SummaryRow row = summary_of(record);
  EXPECT_NEAR(row["batch_wait_ms_sd"], 5, 5 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["queueing_ms_sd"], 0, 1e-9);
  EXPECT_TRUE(std::isnan(summary_of(four_windows())["batch_wait_ms_sd"]));
}

TEST(Metrics, WithoutOverloadNothingHappensInIt) {
  const SummaryRow row = summarise({}, {four_windows(), 1000, [](TimeNs) { return 1000.0; }, 375});
  EXPECT_EQ(row["overload_s"], 0);
  EXPECT_TRUE(std::isnan(row["goodput_overload_rps"]));
  EXPECT_TRUE(std::isnan(row["drop_rate_overload"]));
}

/// Returns the record of 100 requests with latencies of 1 to 100 ms, and as many that were dropped.
SummaryRow hundred_completed(std::uint64_t dropped) {
  RunRecord record = four_windows();
  record.in_time = 90;
  record.late = 10;
  record.dropped = dropped;
  record.sent = 100 + dropped;
  return summary_of(record);
}

TEST(Metrics, LatencyQuantilesAreWithinTheHistogramsError) {
  const SummaryRow row = hundred_completed(0);
  EXPECT_NEAR(row["latency_ms_p50"], 50, 50 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p75"], 75, 75 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p90"], 90, 90 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p95"], 95, 95 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p99"], 99, 99 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p999"], 100, 100 * LatencyHistogram::kRelativeError);
}

// By the binomial distribution the 40th and the 61st of 100 values enclose the median; 100 values are too few
// for an upper end of the 99th percentile.
TEST(Metrics, QuantilesHaveTheIntervalsOfTheirRanks) {
  const SummaryRow row = hundred_completed(0);
  EXPECT_NEAR(row["latency_ms_p50_low"], 40, 40 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_ms_p50_high"], 61, 61 * LatencyHistogram::kRelativeError);
  EXPECT_EQ(row["latency_ms_p99_high"], kInfinity);
  EXPECT_LT(row["latency_ms_p99_low"], 99);
}

// A system that drops requests instead of serving them late has smaller quantiles over the completed ones.
TEST(Metrics, OfAllRequestsTheDroppedOnesTakeForever) {
  const SummaryRow row = hundred_completed(60);
  EXPECT_NEAR(row["latency_ms_p50"], 50, 50 * LatencyHistogram::kRelativeError);
  EXPECT_NEAR(row["latency_all_ms_p50"], 80, 80 * LatencyHistogram::kRelativeError) << "the 80th of 160";
  EXPECT_EQ(row["latency_all_ms_p95"], kInfinity);
  EXPECT_EQ(row["latency_all_ms_p95_low"], kInfinity);
  EXPECT_LT(row["latency_all_ms_p50_high"], kInfinity);
}

TEST(Metrics, WhereNothingWasCompletedNoLatencyHasAValue) {
  RunRecord record = four_windows();
  record.latency = {};
  record.in_time = record.late = 0;
  record.dropped = record.sent;
  const SummaryRow row = summary_of(record);
  for (const char* name : {"latency_ms_p50", "latency_ms_p99", "latency_ms_p99_low", "latency_ms_p99_high",
                           "latency_ms_mean", "usd_per_million_in_time"})
    EXPECT_TRUE(std::isnan(row[name])) << name;
  EXPECT_EQ(row["latency_all_ms_p50"], kInfinity);
  EXPECT_EQ(row["drop_rate"], 1);
  EXPECT_EQ(row["slo_attainment"], 0);
  EXPECT_EQ(row["goodput_rps"], 0);
}

TEST(Metrics, ARecordWithoutLatenciesHasNoQuantileOfThem) {
  RunRecord record = four_windows();
  record.latency = {};
  const SummaryRow row = summary_of(record);
  for (const char* name :
       {"latency_ms_p50", "latency_ms_p50_low", "latency_ms_p50_high", "latency_all_ms_p50"})
    EXPECT_TRUE(std::isnan(row[name])) << name;
}

TEST(Metrics, TheMeanLatencyIsExact) {
  RunRecord record = four_windows();
  record.latency_sum_ns = 340 * 35 * kNsPerMs;
  EXPECT_DOUBLE_EQ(summary_of(record)["latency_ms_mean"], 35) << "of the 300 in time and the 40 late";
  record.latency_sum_ns = 0;
  EXPECT_TRUE(std::isnan(summary_of(record)["latency_ms_mean"]));
}

TEST(Metrics, MinimumGoodputSlidesOverTheWindows) {
  const std::vector<WindowCounts> windows = four_windows().windows;
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 1), 0.45);           // 90 of 200
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 2), 170.0 / 280.0);  // the first two
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 3), 220.0 / 360.0);  // the last three
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 4), 300.0 / 440.0);
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 60), 300.0 / 440.0);
}

TEST(Metrics, MinimumGoodputSkipsSpansWithoutRequests) {
  const std::vector<WindowCounts> windows = {{10, 9, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {4, 2, 0, 2}};
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 1), 0.5);
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 2), 0.5);
  EXPECT_DOUBLE_EQ(min_goodput_share(windows, 4), 11.0 / 14.0);
  EXPECT_TRUE(std::isnan(min_goodput_share({}, 1)));
}

WorkerTotals worker(TimeNs ready_s, TimeNs removed_ns, TimeNs busy_s) {
  WorkerTotals totals;
  totals.ready_ns = ready_s * kNsPerS;
  totals.removed_ns = removed_ns;
  totals.busy_ns = busy_s * kNsPerS;
  return totals;
}

TEST(Metrics, UtilisationCountsTheTimeInWhichAWorkerCouldServe) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 12 * kNsPerS;
  record.workers = {worker(0, kNever, 6), worker(4, kNever, 2), worker(0, 4 * kNsPerS, 4)};
  EXPECT_DOUBLE_EQ(gpu_utilisation(record), 12.0 / 24.0);  // 12 s, 8 s and 4 s
  EXPECT_EQ(summary_of(record).workers, 2u);
}

TEST(Metrics, WorkersAreCountedWhileTheyCouldServeDuringTheLoad) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 12 * kNsPerS;  // the time after the load, in which the backlog is served, does not count
  record.workers = {worker(0, kNever, 0), worker(4, kNever, 0), worker(0, 3 * kNsPerS, 0),
                    worker(8, 11 * kNsPerS, 0), worker(11, 12 * kNsPerS, 0)};
  record.workers.push_back(worker(0, kNever, 0));
  record.workers.back().ready_ns = kNever;              // the run ended in its cold start
  record.workers.push_back(worker(5, 5 * kNsPerS, 0));  // taken away in its cold start
  EXPECT_DOUBLE_EQ(workers_mean(record), (10.0 + 6 + 3 + 2) / 10);
  EXPECT_DOUBLE_EQ(summary_of(record)["workers_mean"], 2.1);
  EXPECT_TRUE(std::isnan(workers_mean(RunRecord{}))) << "a load of no duration";
}

TEST(Metrics, TheFewestWorkersAreThoseOfTenSeconds) {
  RunRecord record;
  record.duration_ns = 25 * kNsPerS;  // the last 5 s are no whole window
  record.end_ns = 30 * kNsPerS;
  record.workers = {worker(0, kNever, 0), worker(2, 14 * kNsPerS, 0), worker(0, 20 * kNsPerS, 0)};
  EXPECT_DOUBLE_EQ(workers_min_10s(record), (10.0 + 4 + 10) / 10);  // in the first window 28 / 10
  record.workers.push_back(worker(9, kNever, 0));
  record.workers.push_back(worker(0, kNever, 0));
  record.workers.back().ready_ns = kNever;
  EXPECT_DOUBLE_EQ(summary_of(record)["workers_min_10s"], (10.0 + 8 + 10 + 1) / 10);
  record.duration_ns = 9 * kNsPerS;
  EXPECT_TRUE(std::isnan(workers_min_10s(record)));
}

TEST(Metrics, AccuracyIsTheMeanOfTheCompletedRequestsThatHaveOne) {
  RunRecord record = four_windows();
  EXPECT_TRUE(std::isnan(summary_of(record)["accuracy"])) << "models have none";
  // 300 requests are in time and 40 late; 240 of them are answered by models of accuracy 1, and 100 by models
  // of 0.5 and 0.8 one after the other.
  record.accuracy_requests = 340;
  record.accuracy_sum = 240 + 100 * 0.4;
  EXPECT_DOUBLE_EQ(summary_of(record)["accuracy"], 280.0 / 340);
}

TEST(Metrics, PathsAreLateOrLostWhateverBecameOfTheirRequests) {
  RunRecord record = four_windows();
  EXPECT_TRUE(std::isnan(summary_of(record)["path_violation_rate"])) << "no task tree";
  EXPECT_TRUE(std::isnan(summary_of(record)["path_accuracy"]));
  record.windows[0].paths = {60, 20, 5, 40};
  record.windows[2].paths = {10, 0, 5, 10};
  EXPECT_DOUBLE_EQ(summary_of(record)["path_violation_rate"], 30.0 / 100);
  EXPECT_DOUBLE_EQ(summary_of(record)["path_accuracy"], 50.0 / 90);
  for (WindowCounts& window : record.windows) window.paths = {0, 0, window.paths.lost, 0};
  EXPECT_EQ(summary_of(record)["path_violation_rate"], 1);
  EXPECT_TRUE(std::isnan(summary_of(record)["path_accuracy"])) << "none was served";
}

ModuleTotals module_of(std::uint16_t depth, bool last, std::uint64_t expired, std::uint64_t estimated) {
  ModuleTotals module;
  module.depth = depth;
  module.last = last;
  module.dropped[static_cast<std::size_t>(DropReason::kExpired)] = expired;
  module.dropped[static_cast<std::size_t>(DropReason::kEstimatedLate)] = estimated;
  return module;
}

/// Returns the summary of a chain in which dropped[i] requests were dropped at module i, and 4 were late.
SummaryRow summary_of_chain(const std::vector<std::uint64_t>& dropped) {
  RunRecord record;
  record.late = 4;
  for (const std::uint64_t count : dropped) {
    const std::size_t depth = record.modules.size() + 1;
    record.modules.push_back(
        module_of(static_cast<std::uint16_t>(depth), depth == dropped.size(), count - 1, 1));
    record.dropped += count;
  }
  return summary_of(record);
}

TEST(Metrics, DropsBelongToTheModuleThatDroppedAndLateOnesToTheLast) {
  const SummaryRow three = summary_of_chain({10, 20, 6});  // with the late ones 10, 20, 10
  EXPECT_DOUBLE_EQ(three["drop_share_last"], 10.0 / 40);
  EXPECT_DOUBLE_EQ(three["drop_share_latter_half"], 30.0 / 40);
  EXPECT_DOUBLE_EQ(three["drop_share_first_two"], 30.0 / 40);
  const SummaryRow five = summary_of_chain({50, 20, 10, 5, 11});  // 50, 20, 10, 5, 15
  EXPECT_DOUBLE_EQ(five["drop_share_last"], 15.0 / 100);
  EXPECT_DOUBLE_EQ(five["drop_share_latter_half"], 30.0 / 100);
  EXPECT_DOUBLE_EQ(five["drop_share_first_two"], 70.0 / 100);
  const SummaryRow four = summary_of_chain({1, 2, 3, 10});  // 1, 2, 3, 14
  EXPECT_DOUBLE_EQ(four["drop_share_latter_half"], 17.0 / 20);
}

TEST(Metrics, ParallelModulesShareADepthAndSeveralModulesMayBeLast) {
  RunRecord record;  // 1 -> {2, 2}, one of them ends there, the other goes on to 3
  record.modules = {module_of(1, false, 1, 0), module_of(2, true, 2, 0), module_of(2, false, 3, 0),
                    module_of(3, true, 4, 0)};
  record.dropped = record.sent = 10;
  const SummaryRow row = summary_of(record);
  EXPECT_DOUBLE_EQ(row["drop_share_last"], 0.6);
  EXPECT_DOUBLE_EQ(row["drop_share_latter_half"], 0.9);
  EXPECT_DOUBLE_EQ(row["drop_share_first_two"], 0.6);
}

TEST(Metrics, VisitsCountOnceAtEachModuleThatTheyComeTo) {
  // 1 of 10 visits is dropped, and 3 and 6 of the 90 that they cause; 20 more of these are cancelled.
  RunRecord record;
  record.sent = 10;
  record.modules = {module_of(1, false, 1, 0), module_of(2, true, 3, 6)};
  EXPECT_TRUE(std::isnan(summary_of(record)["visit_drop_rate"])) << "none came";
  record.modules[0].arrived = 10;
  record.modules[1].arrived = 90;
  record.modules[1].cancelled = 20;
  EXPECT_DOUBLE_EQ(summary_of(record)["visit_drop_rate"], 0.1);
  EXPECT_TRUE(std::isnan(summary_of(record)["reroute_rate"])) << "no router reroutes";
  record.rerouted_visits = 5;
  EXPECT_DOUBLE_EQ(summary_of(record)["reroute_rate"], 0.05);
}

TEST(Metrics, NothingDroppedHasNoPlace) {
  RunRecord record = four_windows();
  record.late = record.dropped = 0;
  record.modules = {module_of(1, true, 0, 0)};
  EXPECT_TRUE(std::isnan(summary_of(record)["drop_share_last"]));
}

TEST(Metrics, DelaysAreMeansByModuleSummedOverTheModules) {
  RunRecord record;
  record.sent = 10;
  record.modules.resize(3);
  record.modules[0].queueing_delay.add(20 * kNsPerMs, 10);
  record.modules[0].queueing_ns = 200 * kNsPerMs;
  record.modules[0].wait_ns = 50 * kNsPerMs;
  record.modules[1].queueing_delay.add(2 * kNsPerMs, 4);
  record.modules[1].queueing_ns = 6 * kNsPerMs;
  record.modules[1].wait_ns = 10 * kNsPerMs;
  const SummaryRow row = summary_of(record);  // nothing got through the third
  EXPECT_DOUBLE_EQ(row["queueing_ms_mean"], 20 + 1.5);
  EXPECT_DOUBLE_EQ(row["batch_wait_ms_mean"], 5 + 2.5);
}

TEST(Metrics, OptimalGoodputIsTheLeastOfSentAndCapacitySecondBySecond) {
  // 80 of 100, 100 of 200, 100 of 100, and of 60 in half a second 50.
  EXPECT_DOUBLE_EQ(optimal_requests(four_windows(), always_hundred), 330);
  EXPECT_DOUBLE_EQ(summary_of(four_windows())["capacity_goodput_rps"], 330 / 3.5);
  const auto capacity_at = [](TimeNs at) { return at < kNsPerS ? 50.0 : 1000.0; };
  EXPECT_DOUBLE_EQ(optimal_requests(four_windows(), capacity_at), 410);
}

TEST(Metrics, StateExchangeIsPerWorkerAndSecond) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 12 * kNsPerS;
  record.workers = {worker(0, kNever, 0), worker(4, kNever, 0)};  // 12 s and 8 s
  record.exchanged_bytes = 50'000;
  EXPECT_DOUBLE_EQ(summary_of(record)["state_kbps_per_worker"], 400.0 / 20);
  record.exchanged_bytes = 0;
  EXPECT_EQ(summary_of(record)["state_kbps_per_worker"], 0);
}

TEST(Metrics, ChangesOfTheOrderExistOnlyWhereAnOrderIsPublished) {
  RunRecord record;
  EXPECT_TRUE(std::isnan(summary_of(record)["order_changes"]));
  record.order_changes = 0;
  EXPECT_EQ(summary_of(record)["order_changes"], 0);
}

TEST(Metrics, ASchedulerIsBusyForAShareOfTheLoad) {
  RunRecord record = four_windows();
  EXPECT_TRUE(std::isnan(summary_of(record)["scheduler_utilisation"])) << "its messages cost nothing";
  record.scheduler_busy_ns = 2'800 * kNsPerMs;
  EXPECT_DOUBLE_EQ(summary_of(record)["scheduler_utilisation"], 0.8) << "of 3.5 s of load";
}

/// Returns the record of 10 s of a worker without a request.
RunRecord idle_run() {
  RunRecord record;
  record.duration_ns = record.end_ns = 10 * kNsPerS;
  record.windows.resize(10);
  record.modules.resize(1);
  record.workers = {worker(0, kNever, 0)};
  record.wall_s = 0.1;
  return record;
}

TEST(Metrics, WithoutRequestsCountsAreZeroAndSharesAndQuantilesHaveNoValue) {
  const SummaryRow row = summary_of(idle_run());
  for (const char* name :
       {"offered_rps", "goodput_rps", "overload_s", "gpu_utilisation", "queue_mean", "workers_added"})
    EXPECT_EQ(row[name], 0) << name;
  EXPECT_EQ(row["workers_mean"], 1);
  for (const char* name : {"slo_attainment", "drop_rate", "drop_rate_last_10s", "drop_rate_overload",
                           "missed_until_s", "invalid_rate", "accuracy", "latency_ms_mean", "latency_ms_p50",
                           "latency_ms_p99", "latency_all_ms_p99", "min_goodput_share_1s", "bound_share",
                           "offline_schedule_rps", "fluid_bound_rps", "optimality_gap", "queueing_ms_mean",
                           "sim_requests_per_s", "goodput_overload_rps"})
    EXPECT_TRUE(std::isnan(row[name])) << name;
}

// Files of an older version have 0 there.
TEST(Metrics, RulesGiveARowWithoutRequestsItsValues) {
  SummaryRow row;
  for (double& value : row.values) value = 0;
  settle_values(row);
  EXPECT_TRUE(std::isnan(row["latency_ms_p50"]) && std::isnan(row["drop_rate"]));
  EXPECT_EQ(row["goodput_rps"], 0);
  row = SummaryRow();
  for (double& value : row.values) value = 0;
  row.sent = row.dropped = 5;
  settle_values(row);
  EXPECT_TRUE(std::isnan(row["latency_ms_p99"]));
  EXPECT_EQ(row["latency_all_ms_p99"], kInfinity);
  EXPECT_EQ(row["drop_rate"], 0) << "as it is in the file";
}

// Two workers of 0.36 $/h for the 3.5 s of load; one of 3.6 $/h and three GPUs from 1.5 s to 3 s.
TEST(Costs, AtTheStartAndInTheEnd) {
  RunRecord record = four_windows();
  record.workers.resize(3);
  for (WorkerTotals& worker : record.workers) worker.usd_per_h = 0.36;
  record.workers[2] = {
      .usd_per_h = 3.6, .added_ns = 1'500 * kNsPerMs, .ready_ns = 2 * kNsPerS, .removed_ns = 3 * kNsPerS};
  record.workers[2].gpus = 3;
  const SummaryRow row = summary_of(record);
  EXPECT_NEAR(row["gpu_hours"], (2 * 3.5 + 3 * 1.5) / 3600, 1e-12);
  EXPECT_NEAR(row["cost_usd"], (2 * 0.36 * 3.5 + 3.6 * 1.5) / 3600, 1e-12);
  EXPECT_NEAR(row["usd_per_million_in_time"], (2 * 0.36 * 3.5 + 3.6 * 1.5) / 3600 / 300 * 1e6, 1e-9);
  EXPECT_NEAR(row["cost_usd_per_h_start"], 0.72, 1e-12);
  EXPECT_NEAR(row["cost_usd_per_h_end"], 0.72 + 3.6 * 1.5 / 3.5, 1e-12);  // a load of less than 10 s
  EXPECT_DOUBLE_EQ(row["first_added_s"], 1.5);
}

TEST(Misses, InTheEndAndUntil) {
  RunRecord record = four_windows();
  EXPECT_DOUBLE_EQ(missed_in_the_end(record, 2), 1 - 130.0 / 160);
  EXPECT_DOUBLE_EQ(missed_until_s(record), 4);
  record.windows.assign(30, {100, 100, 0, 0});
  EXPECT_DOUBLE_EQ(missed_until_s(record), 0);
  record.windows[12] = {100, 90, 10, 0};  // 1 % of the 1,000 of ten seconds is not more than 1 %
  EXPECT_DOUBLE_EQ(missed_until_s(record), 0);
  record.windows[12] = {100, 89, 11, 0};  // in each ten seconds up to second 22
  EXPECT_DOUBLE_EQ(missed_until_s(record), 22);
}

}  // namespace
}  // namespace harness
