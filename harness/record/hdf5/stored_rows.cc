#include "harness/record/hdf5/stored_rows.h"

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/record/hdf5/table.h"

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

std::vector<StoredSample> stored_samples(const RunRecord& record) {
  std::vector<StoredSample> rows;
  for (const std::int64_t waiting : record.queue_samples)
    rows.push_back({queue_sample_ns(record, rows.size()), waiting});
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
    if (totals.added_ns == kNever) row.totals.added_ns = kNotReached;
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

namespace {

constexpr const char* kStatesTable = "states";
constexpr const char* kTime = "at_ns";
constexpr const char* kModule = "module";
constexpr int kFixedColumns = 2;
constexpr std::size_t kValuesOffset = sizeof(TimeNs) + sizeof(std::uint16_t);

std::size_t row_size(std::size_t values) { return kValuesOffset + values * sizeof(double); }

Hdf5Handle row_type_of(const std::vector<std::string>& names) {
  RowType type;
  const StateTable::Row row;
  type(kTime, row.at_ns);
  type(kModule, row.module);
  for (const std::string& name : names) type(name, 0.0);
  return type.take();
}

constexpr const char* kQueues = "replay";
constexpr const char* kBytes = "replay_log";
constexpr std::size_t kChunkBytes = 1 << 18;

struct StoredQueue {
  std::uint32_t queue = 0;
  std::uint16_t module = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::uint64_t bytes = 0;

  static void list(auto& row, auto&& column) {
    column("queue", row.queue);
    column("module", row.module);
    column("callbacks", row.callbacks);
    column("decisions", row.decisions);
    column("bytes", row.bytes);
  }
};

Hdf5Handle byte_type() {
  RowType type;
  type("byte", std::uint8_t{0});
  return type.take();
}

}  // namespace

void write_states(hid_t group, const StateTable& states) {
  if (states.names.empty()) return;
  const std::size_t values = states.names.size();
  HARNESS_CHECK(states.values.size() == states.rows.size() * values, "a published state lacks values");
  std::vector<char> bytes(states.rows.size() * row_size(values));
  char* place = bytes.data();
  const double* value = states.values.data();
  for (const StateTable::Row& row : states.rows) {
    std::memcpy(put_value(put_value(place, row.at_ns), row.module), value, values * sizeof(double));
    place += row_size(values);
    value += values;
  }
  const Hdf5Handle type = row_type_of(states.names);
  TableWriter table(group, kStatesTable, type.get(),
                    std::clamp<std::size_t>(states.rows.size(), 1, kChunkRows));
  table.append(bytes.data(), states.rows.size());
}

StateTable read_states(hid_t group) {
  StateTable states;
  if (!has_link(group, kStatesTable)) return states;
  StoredTable table(group, kStatesTable);
  states.names = table.column_names();
  if (states.names.size() < kFixedColumns) throw Hdf5Failure("find the columns of the states");
  states.names.erase(states.names.begin(), states.names.begin() + kFixedColumns);
  const std::size_t values = states.names.size();
  std::vector<char> bytes(table.rows() * row_size(values));
  table.read(row_type_of(states.names).get(), bytes.data(), 0, table.rows());
  states.rows.resize(table.rows());
  states.values.resize(table.rows() * values);
  const char* place = bytes.data();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    place = get_value(get_value(place, states.rows[i].at_ns), states.rows[i].module);
    std::memcpy(&states.values[i * values], place, values * sizeof(double));
    place += values * sizeof(double);
  }
  return states;
}

void write_replay(hid_t group, const std::vector<ReplayLog>& logs) {
  if (logs.empty()) return;
  std::vector<StoredQueue> rows;
  std::size_t total = 0;
  for (const ReplayLog& log : logs) {
    rows.push_back({log.queue, log.group, log.callbacks, log.decisions, log.bytes.size()});
    total += log.bytes.size();
  }
  write_table(group, kQueues, rows);
  const Hdf5Handle type = byte_type();
  TableWriter bytes(group, kBytes, type.get(), std::clamp<std::size_t>(total, 1, kChunkBytes));
  // Whole chunks, so that none is compressed twice.
  std::vector<std::byte> chunk;
  for (const ReplayLog& log : logs) {
    for (std::size_t at = 0; at < log.bytes.size();) {
      const std::size_t more = std::min(log.bytes.size() - at, kChunkBytes - chunk.size());
      const auto from = log.bytes.begin() + static_cast<std::ptrdiff_t>(at);
      chunk.insert(chunk.end(), from, from + static_cast<std::ptrdiff_t>(more));
      at += more;
      if (chunk.size() < kChunkBytes) continue;
      bytes.append(chunk.data(), chunk.size());
      chunk.clear();
    }
  }
  bytes.append(chunk.data(), chunk.size());
}

std::vector<ReplayLog> read_replay(hid_t group) {
  std::vector<ReplayLog> logs;
  if (!has_link(group, kQueues)) return logs;
  const std::vector<StoredQueue> rows = read_table<StoredQueue>(group, kQueues);
  StoredTable table(group, kBytes);
  std::vector<std::byte> bytes(table.rows());
  table.read(byte_type().get(), bytes.data(), 0, table.rows());
  std::size_t at = 0;
  for (const StoredQueue& row : rows) {
    if (row.bytes > bytes.size() - at) throw Hdf5Failure("read the log of a queue");
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    ReplayLog log{row.queue, row.module, row.callbacks, row.decisions, {}};
    log.bytes.assign(from, from + static_cast<std::ptrdiff_t>(row.bytes));
    logs.push_back(std::move(log));
    at += static_cast<std::size_t>(row.bytes);
  }
  return logs;
}

}  // namespace harness
