#include "harness/record/hdf5/stored_rows.h"

#include <algorithm>

namespace harness {
namespace {

void append_buckets(std::vector<StoredBucket>& rows, Measure measure, std::uint16_t module,
                    const LatencyHistogram& histogram) {
  const std::vector<std::uint64_t>& counts = histogram.counts();
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] > 0) {
      rows.push_back({measure, module, LatencyHistogram::upper_edge(bucket), counts[bucket]});
    }
  }
}

}  // namespace

Hdf5Handle stored_type(const Measure*) {
  return enumeration({"latency", "queueing_delay", "batch_wait", "lateness"});
}

StoredRequest stored(const RequestRow& row) {
  return {row.request, row.sent_ns, row.end_ns - row.sent_ns, row.gpu_ns, row.module,
          row.outcome, row.reason,  row.schedule_lag_ns,      row.stream, row.slo_ns,
          row.accuracy};
}

RequestRow restored(const StoredRequest& row) {
  return {row.request, row.sent_ns, row.sent_ns + row.latency_ns, row.gpu_ns, row.module,
          row.outcome, row.reason,  row.schedule_lag_ns,          row.stream, row.slo_ns,
          row.accuracy};
}

StoredVisit stored(const VisitRow& row) {
  const bool started = row.batch > 0;
  const bool joined = started || row.joined_ns > 0;
  const TimeNs started_ns = started ? row.started_ns : row.ended_ns;
  const TimeNs joined_ns = joined ? row.joined_ns : row.ended_ns;
  StoredVisit visit;
  visit.request = row.request;
  visit.ended_ns = row.ended_ns;
  visit.queueing_ns = joined_ns - row.arrived_ns;
  visit.wait_ns = joined ? started_ns - joined_ns : kNotReached;
  visit.exec_ns = started ? row.ended_ns - started_ns : kNotReached;
  visit.worker = row.worker;
  visit.visit = row.visit;
  visit.parent = row.parent;
  visit.module = row.module;
  visit.batch = row.batch;
  visit.outcome = row.outcome;
  visit.reason = row.reason;
  return visit;
}

VisitRow restored(const StoredVisit& visit) {
  const TimeNs started_ns = visit.ended_ns - std::max<TimeNs>(0, visit.exec_ns);
  const TimeNs joined_ns = started_ns - std::max<TimeNs>(0, visit.wait_ns);
  VisitRow row;
  row.request = visit.request;
  row.arrived_ns = joined_ns - visit.queueing_ns;
  row.joined_ns = visit.wait_ns == kNotReached ? 0 : joined_ns;
  row.started_ns = visit.exec_ns == kNotReached ? 0 : started_ns;
  row.ended_ns = visit.ended_ns;
  row.worker = visit.worker;
  row.visit = visit.visit;
  row.parent = visit.parent;
  row.module = visit.module;
  row.batch = visit.batch;
  row.outcome = visit.outcome;
  row.reason = visit.reason;
  return row;
}

std::vector<StoredWindow> stored_windows(const RunRecord& record) {
  std::vector<StoredWindow> rows;
  for (const WindowCounts& counts : record.windows) {
    rows.push_back({static_cast<TimeNs>(rows.size()) * record.window_ns, counts});
  }
  return rows;
}

std::vector<StoredModuleWindow> stored_module_windows(const RunRecord& record) {
  std::vector<StoredModuleWindow> rows;
  const std::size_t modules = record.modules.size();
  for (std::size_t i = 0; i < record.module_windows.size(); ++i) {
    rows.push_back({static_cast<TimeNs>(i / modules) * record.window_ns,
                    static_cast<std::uint16_t>(i % modules), record.module_windows[i]});
  }
  return rows;
}

std::vector<StoredModule> stored_modules(const RunRecord& record, const std::vector<std::string>& names) {
  std::vector<StoredModule> rows;
  for (const ModuleTotals& totals : record.modules)
    rows.push_back({static_cast<std::uint16_t>(rows.size()), names.at(rows.size()), totals});
  return rows;
}

std::vector<StoredWorker> stored_workers(const RunRecord& record) {
  std::vector<StoredWorker> rows;
  for (const WorkerTotals& totals : record.workers) {
    StoredWorker row{static_cast<std::uint32_t>(rows.size()), totals};
    if (totals.ready_ns == kNever) row.totals.ready_ns = kNotReached;
    if (totals.removed_ns == kNever) row.totals.removed_ns = kNotReached;
    rows.push_back(row);
  }
  return rows;
}

std::vector<StoredBucket> stored_buckets(const RunRecord& record) {
  std::vector<StoredBucket> rows;
  append_buckets(rows, Measure::kLatency, kWholeRequests, record.latency);
  append_buckets(rows, Measure::kScheduleLag, kWholeRequests, record.schedule_lag);
  for (std::size_t module = 0; module < record.modules.size(); ++module) {
    const auto id = static_cast<std::uint16_t>(module);
    append_buckets(rows, Measure::kQueueingDelay, id, record.modules[module].queueing_delay);
    append_buckets(rows, Measure::kBatchWait, id, record.modules[module].batch_wait);
  }
  return rows;
}

}  // namespace harness
