// The rows of a cell as the files hold them (results/README.md describes every column), if they differ from
// the rows of the record. Internal to record/.
//
// The times of a visit are stored as durations counted back from its end, the end of a request as a latency.
// Durations repeat within a batch, so that a row compresses to about half the size that absolute times would
// need, and no nanosecond is lost.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/table.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The stored value for a stage that a visit never reached, and for kNever in the rows of workers.
inline constexpr TimeNs kNotReached = -1;

struct StoredRequest {
  std::uint64_t request = 0;
  TimeNs sent_ns = 0;
  TimeNs latency_ns = 0;
  TimeNs gpu_ns = 0;
  std::uint16_t module = 0;
  Outcome outcome = Outcome::kUnfinished;
  DropReason reason = DropReason::kExpired;
  TimeNs schedule_lag_ns = 0;  ///< no column in files from before there was a live runtime
  std::uint32_t stream = 0;    ///< no column in files from before there were streams
  TimeNs slo_ns = 0;           ///< no column in files from before there were streams
  double accuracy = NAN;       ///< no column in files from before models had accuracies

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
  WorkerTotals totals;  ///< totals, with kNotReached in the place of kNever

  static void list(auto& row, auto&& column) {
    column("worker", row.worker);
    WorkerTotals::list(row.totals, column);
  }
};

/// The quantity that a histogram counts.
enum class Measure : std::uint8_t { kLatency, kQueueingDelay, kBatchWait, kScheduleLag };
Hdf5Handle stored_type(const Measure*);

/// The `module` of a histogram that is not of a module but of whole requests.
inline constexpr std::uint16_t kWholeRequests = 0xffff;
/// One filled bucket of a histogram.
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

// The data that a cell's file holds only on request: published states, whose columns a system names, and the
// logs of the queues. Internal to record/.

/// Writes the dataset `states`, unless nothing was recorded.
void write_states(hid_t group, const StateTable& states);
/// Reads the dataset `states`. Returns an empty table if it is missing.
StateTable read_states(hid_t group);

/// Writes the datasets `replay` (a row per queue) and `replay_log` (the logs' bytes, one after the other),
/// unless nothing was recorded.
void write_replay(hid_t group, const std::vector<ReplayLog>& logs);
/// Reads these datasets. Returns no logs if they are missing.
std::vector<ReplayLog> read_replay(hid_t group);

}  // namespace harness
