// The rows of a cell as the files hold them (results/README.md describes every column). Internal to record/.
//
// Times are kept as durations counted back from the end of a row: those repeat within a batch, so that a row
// compresses to about half of what its absolute times would need, and no nanosecond is lost.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/hdf5_handle.h"
#include "harness/record/run_record.h"

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
  TimeNs lateness_ns = 0;    ///< files made before there was a live runtime have no such column
  std::uint32_t stream = 0;  ///< nor those made before there were streams this one and the next
  TimeNs slo_ns = 0;
  double accuracy = NAN;  ///< nor those made before models had accuracies this one
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
};

struct StoredWindow {
  TimeNs start_ns = 0;
  WindowCounts counts;
};

struct StoredModuleWindow {
  TimeNs start_ns = 0;
  std::uint16_t module = 0;
  ModuleWindow window;
};

/// `name` points into the caller's names while written, and into HDF5's memory while read.
struct StoredModule {
  std::uint16_t module = 0;
  const char* name = nullptr;
  std::uint16_t depth = 1;
  std::uint8_t last = 0;
  double visit_share = 1;
  double accuracy = NAN;  ///< in files made before models had accuracies too
  std::uint64_t arrived = 0, done = 0, cancelled = 0, unfinished = 0;
  std::uint64_t dropped[kDropReasons] = {};
  std::uint64_t batches = 0, preempted = 0;
  TimeNs queueing_ns = 0, wait_ns = 0, exec_ns = 0;
  RequestCounts requests;
};

struct StoredWorker {
  std::uint32_t worker = 0;
  WorkerTotals totals;
};

/// The texts point as StoredModule's name does.
struct StoredRank {
  std::uint32_t rank = 0;
  const char* host = nullptr;
  std::uint32_t workers = 0;
  const char* devices = nullptr;
  const char* driver = nullptr;
  std::uint64_t messages_sent = 0, messages_received = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t packets_sent = 0, loop_turns = 0, sleeps = 0;
  TimeNs cpu_ns = 0, clock_offset_ns = 0, clock_bound_ns = 0, delivery_p50_ns = 0, delivery_p99_ns = 0;
  TimeNs due_late_p99_ns = 0, due_late_max_ns = 0;
  std::uint64_t tensor_handle_bytes = 0, tensor_message_bytes = 0, tensor_device_bytes = 0;
  std::uint64_t tensor_waits = 0;
  TimeNs tensor_wait_p99_ns = 0, tensor_wait_max_ns = 0;
  std::uint64_t tensors_left = 0;
};

/// What a histogram counts.
enum class Measure : std::uint8_t { kLatency, kQueueingDelay, kBatchWait, kLateness };

/// One filled bucket of a histogram. `module` is kWholeRequests for what no module has.
inline constexpr std::uint16_t kWholeRequests = 0xffff;
struct StoredBucket {
  Measure measure = Measure::kLatency;
  std::uint16_t module = kWholeRequests;
  TimeNs up_to_ns = 0;
  std::uint64_t count = 0;
};

/// A row of the table of `harness trace cv`; its text points as StoredModule's name does.
struct StoredCv {
  const char* trace = nullptr;
  double rate_rps = 0, window_s = 0;
  std::uint64_t group = 1, groups = 0, windows = 0;
  double mean_cv = 0;
};

StoredRequest stored(const RequestRow& row);
RequestRow restored(const StoredRequest& row);
StoredVisit stored(const VisitRow& row);
VisitRow restored(const StoredVisit& row);

std::vector<StoredWindow> stored_windows(const RunRecord& record);
std::vector<StoredModuleWindow> stored_module_windows(const RunRecord& record);
std::vector<StoredModule> stored_modules(const RunRecord& record, const std::vector<std::string>& names);
std::vector<StoredWorker> stored_workers(const RunRecord& record);
std::vector<StoredBucket> stored_buckets(const RunRecord& record);
/// The texts of the rows stay the record's.
std::vector<StoredRank> stored_ranks(const RunRecord& record);

/// The compound type of a row in memory; its packed copy is the type in the file.
template <class Row>
Hdf5Handle row_type();
template <>
Hdf5Handle row_type<StoredRequest>();
template <>
Hdf5Handle row_type<StoredVisit>();
template <>
Hdf5Handle row_type<StoredWindow>();
template <>
Hdf5Handle row_type<StoredModuleWindow>();
template <>
Hdf5Handle row_type<StoredModule>();
template <>
Hdf5Handle row_type<StoredWorker>();
template <>
Hdf5Handle row_type<StoredRank>();
template <>
Hdf5Handle row_type<StoredBucket>();
template <>
Hdf5Handle row_type<PlanRow>();
template <>
Hdf5Handle row_type<GroupRow>();
template <>
Hdf5Handle row_type<StoredCv>();

}  // namespace harness
