// The record of a run: the counters and rows from which every metric is computed (metrics.h), and nothing
// derived.
//
// Rows that are stored list their columns once, in the order of the file: `list(row, column)` calls
// `column(name, value)` for each. Writing, reading, sending and comparing rows use it, but of the
// ModuleTotals a rank sends only its sums_of_queues() and histograms. results/README.md describes the
// columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/record/run/module_totals.h"
#include "harness/record/run/module_window.h"
#include "harness/record/run/plan_row.h"
#include "harness/record/run/rank_totals.h"
#include "harness/record/run/replay_log.h"
#include "harness/record/run/state_table.h"
#include "harness/record/run/window_counts.h"
#include "harness/record/run/worker_totals.h"

namespace harness {

/// Number of samples of the queue in a run.
inline constexpr std::size_t kQueueSamples = 100;

/// Everything that a run leaves behind. The conservation sent = in_time + late + dropped + unfinished is
/// checked before the record is returned. Requests sent before measured_from_ns, and their visits, count
/// nowhere; batches, messages and the time of workers count from then on.
struct RunRecord {
  TimeNs duration_ns = 0;       ///< length of the load
  TimeNs measured_from_ns = 0;  ///< start of the measured part, which lasts until duration_ns
  TimeNs end_ns = 0;            ///< end of the last request
  TimeNs window_ns = kNsPerS;
  TimeNs slo_ns = 0;
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
  std::uint64_t unfinished = 0;
  double accuracy_sum = 0;  ///< sum of RequestRow::accuracy over the completed requests that have one
  std::uint64_t accuracy_requests = 0;  ///< number of those requests
  TimeNs latency_sum_ns = 0;            ///< sum over the completed requests
  TimeNs gpu_ns = 0;                    ///< all GPU time
  /// GPU time spent on requests that ended dropped, late or unfinished, and on batches that were preempted.
  TimeNs gpu_invalid_ns = 0;
  /// Number of visits of any request that waited for a batch, at all modules together, at the times of
  /// queue_sample_ns. In a live run on several ranks it is the sum of the numbers that each rank knew then.
  std::vector<std::int64_t> queue_samples;
  std::vector<WindowCounts> windows;         ///< windows, by the time of sending
  std::vector<ModuleWindow> module_windows;  ///< [window * modules + module]; may be longer than `windows`
  std::vector<ModuleTotals> modules;
  std::vector<WorkerTotals> workers;
  std::vector<PlanRow> plans;  ///< rows in order of time; at 0 one row per module
  /// True if workers of some plan serve several modules; `plans` counts them at each of these.
  bool shares_workers = false;
  std::vector<GroupRow> groups;   ///< rows in order of time; empty if modules have workers of their own
  LatencyHistogram latency;       ///< latencies of the completed requests (in time and late)
  std::uint64_t fingerprint = 0;  ///< hash of all decisions (joins, launches, drops) with their times
  std::uint64_t events = 0;
  /// Bytes of all reports (to the module's controller) and published states (to each of the module's queues
  /// and each other controller): 8 for each value and receiver.
  std::uint64_t exchanged_bytes = 0;
  /// Number of times that the published value "order" changed, over all modules; -1: the system has no such
  /// value.
  std::int64_t order_changes = -1;
  /// Number of visits that did not go where their router had chosen first (Router::rerouted); -1: no router
  /// reroutes, or not all visits are counted.
  std::int64_t rerouted_visits = -1;
  /// Time of the load for which the busiest queue's scheduler handled messages; -1: they cost nothing.
  TimeNs scheduler_busy_ns = -1;
  StateTable states;               ///< published states; empty unless wanted
  std::vector<ReplayLog> replay;   ///< one log per queue, in order; empty unless wanted
  std::vector<RankTotals> ranks;   ///< ranks of a live run, in order; empty in virtual time
  LatencyHistogram schedule_lag;   ///< RequestRow::schedule_lag_ns of all requests; empty in virtual time
  TimeNs clock_bound_ns = 0;       ///< largest RankTotals::clock_bound_ns; 0 in virtual time
  std::vector<std::string> notes;  ///< facts that a reader should know of how a live run went, each once
  std::string why_invalid;         ///< reason why the numbers of the run count nowhere; empty if they count
  double wall_s = 0;               ///< wall time of the run itself, without setting up or writing results

  /// Returns the length of the measured part.
  TimeNs measured_ns() const { return duration_ns - measured_from_ns; }
  /// Returns the windows of the measured part.
  std::span<const WindowCounts> measured_windows() const {
    const auto first = static_cast<std::size_t>(measured_from_ns / window_ns);
    return std::span(windows).subspan(std::min(first, windows.size()));
  }

  /// Subtracts the counts and sums of a part of the run, except the counts by window and by module.
  RunRecord& operator-=(const RunRecord& part);

  /// Lists the totals that are stored as attributes beside the cell's tables.
  static void list(auto& record, auto&& total) {
    total("duration_ns", record.duration_ns);
    total("measured_from_ns", record.measured_from_ns);
    total("end_ns", record.end_ns);
    total("window_ns", record.window_ns);
    total("slo_ns", record.slo_ns);
    total("accuracy_sum", record.accuracy_sum);
    total("accuracy_requests", record.accuracy_requests);
    total("latency_sum_ns", record.latency_sum_ns);
    total("gpu_ns", record.gpu_ns);
    total("gpu_invalid_ns", record.gpu_invalid_ns);
    total("events", record.events);
    total("exchanged_bytes", record.exchanged_bytes);
    total("order_changes", record.order_changes);
    total("rerouted_visits", record.rerouted_visits);
    total("scheduler_busy_ns", record.scheduler_busy_ns);
    total("clock_bound_ns", record.clock_bound_ns);
  }
};

/// Returns the time of sample i of kQueueSamples: they are spaced evenly over the measured part, the last at
/// its end.
inline TimeNs queue_sample_ns(const RunRecord& record, std::size_t i) {
  const TimeNs length_ns = record.duration_ns - record.measured_from_ns;
  constexpr auto kSamples = static_cast<TimeNs>(kQueueSamples);
  const auto number = static_cast<TimeNs>(i + 1);
  return record.measured_from_ns + length_ns / kSamples * number + length_ns % kSamples * number / kSamples;
}

}  // namespace harness
