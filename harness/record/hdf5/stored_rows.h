// The rows of a cell as the files hold them (results/README.md describes every column), where they are not
// the record's own. Internal to record/.
//
// Times of requests and visits are kept as durations counted back from the end of a row: those repeat within
// a batch, so that a row compresses to about half of what its absolute times would need, and no nanosecond is
// lost.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/table.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Stands for a stage that a visit never reached, and for a worker that was never removed.
inline constexpr TimeNs kNotReached = -1;

struct StoredRequest {
  std::uint64_t request = 0;
  TimeNs sent_ns = 0;
  TimeNs latency_ns = 0;
  TimeNs gpu_ns = 0;
  std::uint16_t module = 0;
  Outcome outcome = Outcome::kUnfinished;
  DropReason reason = DropReason::kExpired;
  TimeNs schedule_lag_ns = 0;  ///< files made before there was a live runtime have no such column
  std::uint32_t stream = 0;    ///< nor those made before there were streams this one and the next
  TimeNs slo_ns = 0;
  double accuracy = NAN;  ///< nor those made before models had accuracies this one

  static void list(auto& row, auto&& column) {
    column("request", row.request);
    column("sent_ns", row.sent_ns);
    column("latency_ns", row.latency_ns);
    column("gpu_ns", row.gpu_ns);
    column("module", row.module);
    column("outcome", row.outcome);
    column("reason", row.reason);
    column("schedule_lag_ns", row.schedule_lag_ns);
    column("stream", row.stream);
    column("slo_ns", row.slo_ns);
    column("accuracy", row.accuracy);
  }
};

struct StoredVisit {
  std::uint64_t request = 0;
  std::uint16_t visit = 0;
  std::uint16_t parent = 0;
  std::uint16_t module = 0;
  std::uint16_t batch = 0;
  TimeNs ended_ns = 0;
  TimeNs queueing_ns = 0;
  TimeNs wait_ns = 0;
  TimeNs exec_ns = 0;
  std::uint32_t worker = 0;
  VisitOutcome outcome = VisitOutcome::kUnfinished;
  DropReason reason = DropReason::kExpired;

  static void list(auto& row, auto&& column) {
    column("request", row.request);
    column("visit", row.visit);
    column("parent", row.parent);
    column("module", row.module);
    column("batch", row.batch);
    column("ended_ns", row.ended_ns);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
    column("exec_ns", row.exec_ns);
    column("worker", row.worker);
    column("outcome", row.outcome);
    column("reason", row.reason);
  }
};

struct StoredWindow {
  TimeNs start_ns = 0;
  WindowCounts counts;

  static void list(auto& row, auto&& column) {
    column("start_ns", row.start_ns);
    WindowCounts::list(row.counts, column);
  }
};

struct StoredModuleWindow {
  TimeNs start_ns = 0;
  std::uint16_t module = 0;
  ModuleWindow window;

  static void list(auto& row, auto&& column) {
    column("start_ns", row.start_ns);
    column("module", row.module);
    ModuleWindow::list(row.window, column);
  }
};

struct StoredSample {
  TimeNs at_ns = 0;
  std::int64_t waiting = 0;

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("waiting", row.waiting);
  }
};

struct StoredModule {
  std::uint16_t module = 0;
  std::string name;
  ModuleTotals totals;

  static void list(auto& row, auto&& column) {
    column("module", row.module);
    column("name", row.name);
    ModuleTotals::list(row.totals, column);
  }
};

struct StoredWorker {
  std::uint32_t worker = 0;
  WorkerTotals totals;  ///< but kNotReached for kNever

  static void list(auto& row, auto&& column) {
    column("worker", row.worker);
    WorkerTotals::list(row.totals, column);
  }
};

/// What a histogram counts.
enum class Measure : std::uint8_t { kLatency, kQueueingDelay, kBatchWait, kScheduleLag };
Hdf5Handle stored_type(const Measure*);

/// One filled bucket of a histogram. `module` is kWholeRequests for what no module has.
inline constexpr std::uint16_t kWholeRequests = 0xffff;
struct StoredBucket {
  Measure measure = Measure::kLatency;
  std::uint16_t module = kWholeRequests;
  TimeNs up_to_ns = 0;
  std::uint64_t count = 0;

  static void list(auto& row, auto&& column) {
    column("measure", row.measure);
    column("module", row.module);
    column("up_to_ns", row.up_to_ns);
    column("count", row.count);
  }
};

StoredRequest stored(const RequestRow& row);
RequestRow restored(const StoredRequest& row);
StoredVisit stored(const VisitRow& row);
VisitRow restored(const StoredVisit& row);

std::vector<StoredWindow> stored_windows(const RunRecord& record);
std::vector<StoredModuleWindow> stored_module_windows(const RunRecord& record);
std::vector<StoredSample> stored_samples(const RunRecord& record);
std::vector<StoredModule> stored_modules(const RunRecord& record, const std::vector<std::string>& names);
std::vector<StoredWorker> stored_workers(const RunRecord& record);
std::vector<StoredBucket> stored_buckets(const RunRecord& record);

// What a cell keeps only when it is asked to, in its file: published states, whose columns a system names,
// and what reached the queues. Internal to record/.

/// Writes the dataset `states`, unless nothing was recorded.
void write_states(hid_t group, const StateTable& states);
/// Reads it back; an empty table when it is not there.
StateTable read_states(hid_t group);

/// Writes the datasets `replay` (a row per queue) and `replay_log` (their bytes, one after the other),
/// unless nothing was recorded.
void write_replay(hid_t group, const std::vector<ReplayLog>& logs);
/// Reads them back; nothing when they are not there.
std::vector<ReplayLog> read_replay(hid_t group);

}  // namespace harness
