#include "harness/record/metrics.h"

#include <algorithm>
#include <numeric>

#include "harness/record/devices_text.h"
#include "harness/record/summary.h"

namespace harness {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double share(std::uint64_t part, std::uint64_t whole) {
  return share(static_cast<double>(part), static_cast<double>(whole));
}

double share_if_any(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? share(part, whole) : kNoValue;
}

std::uint64_t initial_workers(const RunRecord& record) {
  const auto ready_at_start = [](const WorkerTotals& worker) { return worker.ready_ns <= 0; };
  return static_cast<std::uint64_t>(
      std::count_if(record.workers.begin(), record.workers.end(), ready_at_start));
}

void fill_latency(SummaryRow& row, const RunRecord& record) {
  row.latency_ms_p50 = ns_to_ms(record.latency.quantile(0.50));
  row.latency_ms_p90 = ns_to_ms(record.latency.quantile(0.90));
  row.latency_ms_p99 = ns_to_ms(record.latency.quantile(0.99));
}

void fill_overload(SummaryRow& row, const OverloadCounts& counts) {
  row.overload_s = counts.seconds;
  row.goodput_overload_rps = share(static_cast<double>(counts.in_time), counts.seconds);
  row.drop_rate_overload = share(counts.dropped + counts.late, counts.sent);
}

void fill_drop_places(SummaryRow& row, const DropPlaces& places) {
  row.drop_share_last = share_if_any(places.last, places.all);
  row.drop_share_latter_half = share_if_any(places.latter_half, places.all);
  row.drop_share_first_two = share_if_any(places.first_two, places.all);
}

/// A module where no visit started adds nothing; kNoValue when none started anywhere.
void fill_delays(SummaryRow& row, const RunRecord& record) {
  double queueing_ns = 0;
  double wait_ns = 0;
  bool any = false;
  for (const ModuleTotals& module : record.modules) {
    const auto started = static_cast<double>(module.queueing_delay.total());
    if (started == 0) continue;
    any = true;
    queueing_ns += static_cast<double>(module.queueing_ns) / started;
    wait_ns += static_cast<double>(module.wait_ns) / started;
  }
  row.queueing_ms_mean = any ? queueing_ns * 1e-6 : kNoValue;
  row.batch_wait_ms_mean = any ? wait_ns * 1e-6 : kNoValue;
}

void fill_exchange(SummaryRow& row, const RunRecord& record) {
  const double kilobits = static_cast<double>(record.exchanged_bytes) * 8e-3;
  row.state_kbps_per_worker = share(kilobits, ns_to_s(worker_time_ns(record)));
  row.order_changes = record.order_changes < 0 ? kNoValue : static_cast<double>(record.order_changes);
}

/// What only a live run has; a live run has ranks.
void fill_live(SummaryRow& row, const RunRecord& record) {
  const auto microseconds = [](TimeNs ns) { return static_cast<double>(ns) / static_cast<double>(kNsPerUs); };
  row.lateness_us_p50 = microseconds(record.lateness.quantile(0.5));
  row.lateness_us_p99 = microseconds(record.lateness.quantile(0.99));
  row.lateness_us_max = microseconds(record.lateness.quantile(1));
  row.clock_bound_us = microseconds(record.clock_bound_ns);
  row.devices = devices_text(record.ranks);
  row.messages = 0;
  row.message_bytes = 0;
  for (const RankTotals& rank : record.ranks) {
    row.messages += static_cast<double>(rank.messages_sent);
    row.message_bytes += static_cast<double>(rank.bytes_sent);
  }
}

/// Time before `until` in which the workers could serve, all together.
TimeNs worker_time_until(const RunRecord& record, TimeNs until) {
  TimeNs able = 0;
  for (const WorkerTotals& worker : record.workers) {
    able += std::max<TimeNs>(0, std::min(worker.removed_ns, until) - worker.ready_ns);
  }
  return able;
}

void fill_paths(SummaryRow& row, const PathTotals& paths) {
  const std::uint64_t served = paths.in_time + paths.late;
  if (served + paths.lost > 0) row.path_violation_rate = share(paths.late + paths.lost, served + paths.lost);
  if (served > 0) row.path_accuracy = share(paths.accuracy_sum, static_cast<double>(served));
}

/// The last window of a run may be a short one.
double window_length_s(const RunRecord& record, TimeNs start) {
  return ns_to_s(std::min(record.window_ns, record.duration_ns - start));
}

}  // namespace

double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length) {
  const std::size_t span = std::min(std::max<std::size_t>(length, 1), windows.size());
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  double least = 1;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    sent += windows[i].sent;
    in_time += windows[i].in_time;
    if (i >= span) {
      sent -= windows[i - span].sent;
      in_time -= windows[i - span].in_time;
    }
    if (i + 1 >= span && sent > 0) least = std::min(least, share(in_time, sent));
  }
  return least;
}

OverloadCounts overload_counts(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at) {
  OverloadCounts total;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    const WindowCounts& window = record.windows[i];
    const TimeNs start = static_cast<TimeNs>(i) * record.window_ns;
    const double length_s = window_length_s(record, start);
    if (length_s <= 0 || static_cast<double>(window.sent) <= capacity_at(start) * length_s) continue;
    total.seconds += length_s;
    total.sent += window.sent;
    total.in_time += window.in_time;
    total.late += window.late;
    total.dropped += window.dropped;
  }
  return total;
}

DropPlaces drop_places(const RunRecord& record) {
  DropPlaces places;
  int depth = 0;
  for (const ModuleTotals& module : record.modules) depth = std::max<int>(depth, module.depth);
  const auto add = [&places, depth](std::uint64_t count, bool last, int at) {
    places.all += count;
    if (last) places.last += count;
    if (2 * at > depth) places.latter_half += count;
    if (at <= 2) places.first_two += count;
  };
  for (const ModuleTotals& module : record.modules) {
    add(std::accumulate(module.dropped.begin(), module.dropped.end(), std::uint64_t{0}), module.last,
        module.depth);
  }
  add(record.late, true, depth);
  return places;
}

double optimal_requests(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at) {
  double total = 0;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    const TimeNs start = static_cast<TimeNs>(i) * record.window_ns;
    const double length_s = window_length_s(record, start);
    total += std::min(static_cast<double>(record.windows[i].sent), capacity_at(start) * length_s);
  }
  return total;
}

TimeNs worker_time_ns(const RunRecord& record) {
  return worker_time_until(record, std::max(record.duration_ns, record.end_ns));
}

double workers_mean(const RunRecord& record) {
  return share(static_cast<double>(worker_time_until(record, record.duration_ns)),
               static_cast<double>(record.duration_ns));
}

double workers_min_10s(const RunRecord& record) {
  constexpr TimeNs kWindowNs = 10 * kNsPerS;
  std::vector<TimeNs> served(static_cast<std::size_t>(record.duration_ns / kWindowNs), 0);
  if (served.empty()) return kNoValue;
  for (const WorkerTotals& worker : record.workers) {
    const TimeNs end = std::min(worker.removed_ns, static_cast<TimeNs>(served.size()) * kWindowNs);
    for (TimeNs at = worker.ready_ns; at < end;) {
      const TimeNs next = std::min(end, (at / kWindowNs + 1) * kWindowNs);
      served[static_cast<std::size_t>(at / kWindowNs)] += next - at;
      at = next;
    }
  }
  return static_cast<double>(*std::min_element(served.begin(), served.end())) / kWindowNs;
}

double mean_accuracy(const RunRecord& record) {
  if (record.accuracy_requests == 0) return kNoValue;
  return share(record.accuracy_sum, static_cast<double>(record.accuracy_requests));
}

PathTotals path_totals(const RunRecord& record) {
  PathTotals totals;
  for (const WindowCounts& window : record.windows) {
    totals.in_time += window.paths.in_time;
    totals.late += window.paths.late;
    totals.lost += window.paths.lost;
    totals.accuracy_sum += window.paths.accuracy_sum;
  }
  return totals;
}

double gpu_utilisation(const RunRecord& record) {
  double busy = 0;
  for (const WorkerTotals& worker : record.workers) busy += static_cast<double>(worker.busy_ns);
  return share(busy, static_cast<double>(worker_time_ns(record)));
}

SummaryRow summarise(const CellIdentity& cell, const RunRecord& record, double bound_requests,
                     double capacity_rps, const std::function<double(TimeNs)>& capacity_at) {
  SummaryRow row;
  row.cell = cell;
  row.slo_ms = ns_to_ms(record.slo_ns);
  row.workers = initial_workers(record);
  row.workers_mean = workers_mean(record);
  row.workers_min_10s = workers_min_10s(record);
  row.duration_s = ns_to_s(record.duration_ns);
  row.capacity_rps = capacity_rps;
  row.offered_rps = share(static_cast<double>(record.sent), row.duration_s);
  row.sent = record.sent;
  row.in_time = record.in_time;
  row.late = record.late;
  row.dropped = record.dropped;
  row.unfinished = record.unfinished;
  row.goodput_rps = share(static_cast<double>(record.in_time), row.duration_s);
  row.drop_rate = share(record.dropped + record.late, record.sent);
  row.invalid_rate = share(static_cast<double>(record.gpu_invalid_ns), static_cast<double>(record.gpu_ns));
  row.accuracy = mean_accuracy(record);
  fill_paths(row, path_totals(record));
  if (capacity_at) {
    fill_overload(row, overload_counts(record, capacity_at));
    row.optimal_goodput_rps = share(optimal_requests(record, capacity_at), row.duration_s);
  } else {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    row.overload_s = row.goodput_overload_rps = row.drop_rate_overload = row.optimal_goodput_rps = kUnknown;
  }
  fill_drop_places(row, drop_places(record));
  fill_latency(row, record);
  fill_delays(row, record);
  row.min_goodput_share_1s = min_goodput_share(record.windows, 1);
  row.min_goodput_share_10s = min_goodput_share(record.windows, 10);
  row.min_goodput_share_60s = min_goodput_share(record.windows, 60);
  row.gpu_utilisation = gpu_utilisation(record);
  row.fluid_bound_rps = share(bound_requests, row.duration_s);
  row.bound_share = share(static_cast<double>(record.in_time), bound_requests);
  fill_exchange(row, record);
  if (record.scheduler_busy_ns >= 0)
    row.scheduler_busy =
        share(static_cast<double>(record.scheduler_busy_ns), static_cast<double>(record.duration_ns));
  if (record.ranks.empty())
    row.sim_requests_per_s = share(static_cast<double>(record.sent), record.wall_s);
  else
    fill_live(row, record);
  row.wall_s = record.wall_s;
  row.fingerprint = hex16(record.fingerprint);
  return row;
}

}  // namespace harness
