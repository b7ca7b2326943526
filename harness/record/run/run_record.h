// The record of a run: the rows and counters from which every metric is computed (metrics.h), and nothing
// derived.
//
// Rows that are stored list their columns once, in the order of the file: `list(row, column)` calls
// `column(name, value)` for each. Writing, reading, sending and comparing rows all use it;
// results/README.md describes the columns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/types.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// The log of everything that reached one queue during a run, and of its scheduler's decisions: enough to
/// repeat every decision. `bytes` holds its callbacks with their decisions, in order, as
/// engine/replay/replay_call.h writes and reads them.
struct ReplayLog {
  QueueId queue = 0;
  std::uint16_t group = 0;  ///< the module, or the group of the plan, that the queue serves
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::vector<std::byte> bytes;

  bool operator==(const ReplayLog&) const = default;
};

template <class Way>
void code(Archive<Way>& archive, ReplayLog& log) {
  archive.value(log.queue);
  archive.value(log.group);
  archive.value(log.callbacks);
  archive.value(log.decisions);
  archive.bytes(log.bytes);
}

/// The way in which a request ended.
enum class Outcome : std::uint8_t { kInTime, kLate, kDropped, kUnfinished };
/// The way in which a visit ended. A visit is cancelled if its request is dropped at another module while it
/// is queued.
enum class VisitOutcome : std::uint8_t { kDone, kDropped, kCancelled, kUnfinished };

inline constexpr std::array<const char*, 4> kOutcomeNames = {"in_time", "late", "dropped", "unfinished"};
inline constexpr std::array<const char*, 4> kVisitOutcomeNames = {"done", "dropped", "cancelled",
                                                                  "unfinished"};
inline const char* name_of(Outcome outcome) { return kOutcomeNames[static_cast<std::size_t>(outcome)]; }
inline const char* name_of(VisitOutcome outcome) {
  return kVisitOutcomeNames[static_cast<std::size_t>(outcome)];
}

/// One finished request; written in order of ending.
struct RequestRow {
  std::uint64_t request = 0;
  TimeNs sent_ns = 0;
  TimeNs end_ns = 0;         ///< time at which its last module was done, or at which it was dropped
  TimeNs gpu_ns = 0;         ///< GPU time of its visits: each batch's time shared equally
  std::uint16_t module = 0;  ///< module that dropped it; otherwise the last module
  Outcome outcome = Outcome::kUnfinished;
  DropReason reason = DropReason::kExpired;  ///< meaningful only if it was dropped
  TimeNs schedule_lag_ns = 0;  ///< delay of its sending after sent_ns, when it was due; 0 in virtual time
  std::uint32_t stream = 0;    ///< stream that it belongs to; 0 without streams
  TimeNs slo_ns = 0;           ///< it is in time until sent_ns + slo_ns; 0: not known (from an older file)
  /// Mean over its paths of the product of the accuracies of the models that served them (Loki, section 2.1);
  /// NaN if models have no accuracies, or if it ended before any path did.
  double accuracy = NAN;

  bool operator==(const RequestRow&) const = default;
};

/// One finished visit; written in order of ending.
struct VisitRow {
  std::uint64_t request = 0;
  TimeNs arrived_ns = 0;
  TimeNs joined_ns = 0;   ///< time at which it joined its batch; 0 if it never ran
  TimeNs started_ns = 0;  ///< time at which its batch started; 0 if it never ran
  TimeNs ended_ns = 0;    ///< end of the batch, or time of the drop or cancellation
  std::uint32_t worker = kNone;
  std::uint16_t visit = 0;   ///< index of the visit in its request
  std::uint16_t parent = 0;  ///< visit that caused it (at a merge the last to come); itself for the first
  std::uint16_t module = 0;
  std::uint16_t batch = 0;  ///< size of the batch it ran in; 0 if it never ran
  VisitOutcome outcome = VisitOutcome::kUnfinished;
  DropReason reason = DropReason::kExpired;

  /// True if its batch started; only then do joined_ns, started_ns and worker have values.
  bool ran() const { return batch > 0; }
  /// Returns the time at which it stopped waiting at its module: the start of its batch, or its own end if it
  /// never ran.
  TimeNs left_queue_ns() const { return ran() ? started_ns : ended_ns; }

  bool operator==(const VisitRow&) const = default;
};

/// Takes rows in chunks while the run goes on. It is called from the run's thread. A run whose rows are not
/// wanted has no sink.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void requests(std::span<const RequestRow> rows) = 0;
  virtual void visits(std::span<const VisitRow> rows) = 0;
};

/// The outcomes of the paths of some requests to a task tree; zeros if the pipeline is no task tree. A path
/// is served when it ends with a visit that causes no other. It is lost when one of its visits is dropped,
/// cancelled, unfinished, or not made because its request had ended; nobody knows what that visit would have
/// caused, so it counts as one path.
struct PathCounts {
  std::uint32_t in_time = 0;  ///< paths served by the request's deadline
  std::uint32_t late = 0;     ///< paths served after it
  std::uint32_t lost = 0;
  double accuracy_sum = 0;  ///< sum over the served paths of the product of the accuracies of their models

  PathCounts& operator+=(const PathCounts& other) {
    in_time += other.in_time;
    late += other.late;
    lost += other.lost;
    accuracy_sum += other.accuracy_sum;
    return *this;
  }
};

/// The outcomes of the requests *sent* in one window (1 s); sent = in_time + late + dropped + unfinished.
struct WindowCounts {
  std::uint32_t sent = 0;
  std::uint32_t in_time = 0;
  std::uint32_t late = 0;
  std::uint32_t dropped = 0;
  double accuracy_sum = 0;  ///< sum over the completed requests; 0 if models have no accuracies
  PathCounts paths = {};    ///< paths of the requests sent, however those ended

  WindowCounts& operator+=(const WindowCounts& other) {
    sent += other.sent;
    in_time += other.in_time;
    late += other.late;
    dropped += other.dropped;
    accuracy_sum += other.accuracy_sum;
    paths += other.paths;
    return *this;
  }

  static void list(auto& row, auto&& column) {
    column("sent", row.sent);
    column("in_time", row.in_time);
    column("late", row.late);
    column("dropped", row.dropped);
    column("accuracy_sum", row.accuracy_sum);
    column("paths_in_time", row.paths.in_time);
    column("paths_late", row.paths.late);
    column("paths_lost", row.paths.lost);
    column("path_accuracy_sum", row.paths.accuracy_sum);
  }
};

/// The events at one module in one window, by the time of the event.
struct ModuleWindow {
  std::uint32_t arrived = 0;  ///< visits that arrived at the module
  std::uint32_t started = 0;  ///< visits whose batch started
  std::uint32_t dropped = 0;
  std::uint32_t batches = 0;  ///< batches started
  TimeNs queueing_ns = 0;     ///< sum over the started visits of the time from arrival to join
  TimeNs wait_ns = 0;         ///< sum over the started visits of the time from join to start

  ModuleWindow& operator-=(const ModuleWindow& part);

  static void list(auto& row, auto&& column) {
    column("arrived", row.arrived);
    column("started", row.started);
    column("dropped", row.dropped);
    column("batches", row.batches);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
  }
};

/// The outcomes of some requests; the rest of `sent` was unfinished.
struct RequestCounts {
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
};

/// The gaps in time between each visit that the dispatcher sent to a module's queues and the one before it.
/// Visits that go on from one batch together have gaps of 0. A visit that is sent again because its queue
/// went away adds no gap, nor does one that no queue takes. All are 0 if gaps are not counted
/// (Accounting::counts_gaps).
struct GapTotals {
  std::uint64_t count = 0;
  TimeNs sum_ns = 0;
  double squares_ns2 = 0;  ///< sum of their squares
};

/// The ends of a module's batches that ran to their end, and the number of pairs of ends that come together.
struct BatchEnds {
  /// Time is divided into slots of 2^kSlotBits ns, about 1 ms.
  static constexpr int kSlotBits = 20;

  std::uint64_t count = 0;
  std::uint64_t pairs = 0;  ///< number of pairs of ends in the same slot
  std::int64_t last_slot = -1;
  std::uint64_t others_in_slot = 0;  ///< ends in last_slot before the last one

  void add(TimeNs ended_ns) {
    const std::int64_t slot = ended_ns >> kSlotBits;
    others_in_slot = slot == last_slot ? others_in_slot + 1 : 0;
    pairs += others_in_slot;
    last_slot = slot;
    ++count;
  }
};

/// Totals of one module.
struct ModuleTotals {
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t batches = 0;    ///< batches started
  std::uint64_t preempted = 0;  ///< batches stopped before their end, whose visits waited again
  std::uint16_t depth = 1;      ///< modules on the longest path from the entry to it, both counted
  bool last = false;            ///< true if no module takes its output
  double visit_ratio = 1;  ///< probability that a request visits it, by the pipeline's choices of branches
  double accuracy = NAN;   ///< accuracy of its model, relative to the best of its task; NAN: it has none
  std::array<std::uint64_t, kDropReasons> dropped{};  ///< visits dropped here, by reason
  TimeNs queueing_ns = 0;           ///< sum over the visits that started of the time from arrival to join
  TimeNs wait_ns = 0;               ///< sum over the visits that started of the time from join to start
  TimeNs exec_ns = 0;               ///< sum over the visits done
  LatencyHistogram queueing_delay;  ///< delays from arrival to join, of the visits that started
  LatencyHistogram batch_wait;      ///< waits from join to start, of the visits that started
  RequestCounts requests;           ///< requests that enter the pipeline here: 0 if a module precedes it
  GapTotals gaps;
  BatchEnds ends;

  /// Subtracts the counts and sums of a part of the run; the fields that describe the module stay.
  ModuleTotals& operator-=(const ModuleTotals& part);

  /// Lists all columns; the histograms are not among them.
  static void list(auto& row, auto&& column) {
    column("depth", row.depth);
    column("last", row.last);
    column("visit_ratio", row.visit_ratio);
    column("accuracy", row.accuracy);
    column("arrived", row.arrived);
    column("done", row.done);
    column("cancelled", row.cancelled);
    column("unfinished", row.unfinished);
    for (std::size_t i = 0; i < row.dropped.size(); ++i)
      column(std::string("dropped_") + name_of(static_cast<DropReason>(i)), row.dropped[i]);
    column("batches", row.batches);
    column("preempted", row.preempted);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
    column("exec_ns", row.exec_ns);
    column("requests_sent", row.requests.sent);
    column("requests_in_time", row.requests.in_time);
    column("requests_late", row.requests.late);
    column("requests_dropped", row.requests.dropped);
    column("gaps", row.gaps.count);
    column("gap_ns", row.gaps.sum_ns);
    column("gap_squares_ns2", row.gaps.squares_ns2);
    column("ends", row.ends.count);
    column("end_pairs", row.ends.pairs);
    column("last_end_slot", row.ends.last_slot);
  }
};

/// The life of one worker.
struct WorkerTotals {
  std::uint16_t module = 0;
  std::uint16_t device = 0;  ///< index of its kind of device in the cell's settings
  double usd_per_h = 0;      ///< price of all its GPUs together; 0: not known
  std::uint16_t gpus = 1;    ///< number of GPUs that it takes
  bool from_memory = false;  ///< true if it started from parameters kept in its server's memory
  TimeNs added_ns = 0;       ///< time from which it has its device and is paid for; kNever: it never had one
  TimeNs ready_ns = 0;       ///< time from which it can serve
  TimeNs removed_ns = kNever;  ///< time of its removal; kNever: it stayed to the end of the run
  TimeNs busy_ns = 0;
  std::uint64_t batches = 0;
  std::uint64_t visits = 0;
  /// GPU time: busy_ns on each of its GPUs; the work of its visits if it is a slot of a shared server; 0 if
  /// it is a thread.
  TimeNs gpu_ns = 0;

  /// Lists all columns but gpu_ns, which is not stored.
  static void list(auto& row, auto&& column) {
    column("module", row.module);
    column("device", row.device);
    column("usd_per_h", row.usd_per_h);
    column("gpus", row.gpus);
    column("from_memory", row.from_memory);
    column("added_ns", row.added_ns);
    column("ready_ns", row.ready_ns);
    column("removed_ns", row.removed_ns);
    column("busy_ns", row.busy_ns);
    column("batches", row.batches);
    column("visits", row.visits);
  }
};

/// A module's part of a plan that took effect.
struct PlanRow {
  TimeNs at_ns = 0;
  std::uint16_t module = 0;
  /// Number of workers that can serve from then on; a cold start ends with a row of its own.
  std::uint32_t workers = 0;
  std::uint32_t max_batch = 1;
  TimeNs exec_ns = 0;        ///< execution time of a batch of max_batch
  std::uint16_t device = 0;  ///< kind of its workers, as WorkerTotals::device
  double usd_per_h = std::numeric_limits<double>::quiet_NaN();  ///< price of one worker; NaN: not known
  std::uint32_t cores = 0;  ///< number of cores of each worker; 0: as many as when the profile was measured

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("module", row.module);
    column("workers", row.workers);
    column("max_batch", row.max_batch);
    column("exec_ns", row.exec_ns);
    column("device", row.device);
    column("usd_per_h", row.usd_per_h);
    column("cores", row.cores);
  }
};

/// A module's part of the plan with which a cell began.
struct StartPlan {
  std::uint32_t cell = 0;  ///< index of the cell
  std::string module;      ///< name of the module
  PlanRow row;
};

/// Holds the outcomes of the requests that a cell sent in each whole minute of its measured part, or in the
/// whole part if that is shorter than a minute.
struct CellMinutes {
  std::uint32_t cell = 0;  ///< index of the cell
  std::vector<WindowCounts> minutes;
};

/// A group of workers of a plan that took effect, and one of the modules that it serves.
struct GroupRow {
  TimeNs at_ns = 0;
  std::uint16_t group = 0;  ///< index of the group in the plan
  std::uint16_t module = 0;
  std::uint32_t workers = 0;    ///< number of the group's workers, for all its modules together
  std::uint32_t max_batch = 1;  ///< largest batch of the module in this group
  TimeNs cycle_ns = 0;          ///< WorkerGroup::cycle_ns
  double share = std::numeric_limits<double>::quiet_NaN();  ///< WorkerGroup::shares; NaN: not planned

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("group", row.group);
    column("module", row.module);
    column("workers", row.workers);
    column("max_batch", row.max_batch);
    column("cycle_ns", row.cycle_ns);
    column("share", row.share);
  }
};

/// The states that the controllers published, in order of time: a row per publication.
struct StateTable {
  struct Row {
    TimeNs at_ns = 0;
    std::uint16_t module = 0;
  };
  std::vector<std::string> names;  ///< the system's names of the values; empty: nothing was recorded
  std::vector<Row> rows;
  std::vector<double> values;  ///< the values, at [row * names.size() + value]
};

/// The totals of one rank of a live run.
struct RankTotals {
  std::uint32_t rank = 0;
  std::string host;
  std::uint32_t workers = 0;  ///< number of GPUs of the cluster that it hosts
  std::string devices;        ///< names of them: "cuda:0 NVIDIA H200, cuda:1 NVIDIA H200"; "": timers
  std::string driver;         ///< version of NVIDIA's driver there; "": it plays no part
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t packets_sent = 0;  ///< packets, each with the messages of a loop turn to one destination
  std::uint64_t loop_turns = 0;
  std::uint64_t sleeps = 0;
  TimeNs cpu_ns = 0;            ///< processor time of its thread during the run
  TimeNs clock_offset_ns = 0;   ///< last estimate: its clock less rank 0's
  TimeNs clock_bound_ns = 0;    ///< the largest error that the estimates may have had
  TimeNs delivery_p50_ns = -1;  ///< median time from rank 0's sending a visit until it is handled here
  TimeNs delivery_p99_ns = -1;  ///< 99th percentile of these times; -1: no visit came
  TimeNs due_late_p99_ns = -1;  ///< 99th percentile of the delays of due events (ends, timers); -1: none
  TimeNs due_late_max_ns = 0;   ///< largest of these delays
  // Tensors of the visits that its workers ran; the counts are 0 without payload.
  std::uint64_t tensor_handle_bytes = 0;   ///< bytes that this rank kept itself
  std::uint64_t tensor_message_bytes = 0;  ///< bytes that came from other workers' ranks
  std::uint64_t tensor_device_bytes = 0;   ///< bytes that came from other workers' ranks, from GPU to GPU
  std::uint64_t tensor_waits = 0;          ///< batches that had to wait for tensors
  TimeNs tensor_wait_p99_ns = -1;          ///< 99th percentile of these waits; -1: no batch had to wait
  TimeNs tensor_wait_max_ns = -1;          ///< longest of these waits; -1: no batch had to wait
  std::uint64_t tensors_left = 0;  ///< tensors in its store at the end: not 0 if some were not released

  static void list(auto& row, auto&& column) {
    column("rank", row.rank);
    column("host", row.host);
    column("workers", row.workers);
    column("devices", row.devices);
    column("driver", row.driver);
    column("messages_sent", row.messages_sent);
    column("messages_received", row.messages_received);
    column("bytes_sent", row.bytes_sent);
    column("bytes_received", row.bytes_received);
    column("packets_sent", row.packets_sent);
    column("loop_turns", row.loop_turns);
    column("sleeps", row.sleeps);
    column("cpu_ns", row.cpu_ns);
    column("clock_offset_ns", row.clock_offset_ns);
    column("clock_bound_ns", row.clock_bound_ns);
    column("delivery_p50_ns", row.delivery_p50_ns);
    column("delivery_p99_ns", row.delivery_p99_ns);
    column("due_late_p99_ns", row.due_late_p99_ns);
    column("due_late_max_ns", row.due_late_max_ns);
    column("tensor_handle_bytes", row.tensor_handle_bytes);
    column("tensor_message_bytes", row.tensor_message_bytes);
    column("tensor_device_bytes", row.tensor_device_bytes);
    column("tensor_waits", row.tensor_waits);
    column("tensor_wait_p99_ns", row.tensor_wait_p99_ns);
    column("tensor_wait_max_ns", row.tensor_wait_max_ns);
    column("tensors_left", row.tensors_left);
  }
};

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
