// A callback of a scheduler as a value, with the scheduler's decisions in answer; their form as bytes of a
// log; and the recorder that writes these.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "harness/record/run/run_record.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// One callback with its arguments. The fields that count depend on `kind`.
struct ReplayCall {
  enum class Kind : std::uint8_t {
    kPlan,
    kWorkerAdded,
    kWorkerDraining,
    kWorkersLost,
    kArrival,
    kCancelled,
    kWorkerFree,
    kBatchStarted,
    kBatchDone,
    kState,
    kTimer,
    kBatchPreempted,
    kCount
  };
  Kind kind = Kind::kTimer;
  TimeNs now = 0;
  WorkerId worker = 0;            ///< worker callbacks and batches: the worker
  ModuleId module = 0;            ///< batches: the module that they run; kState: the module that published
  VisitId cancelled = 0;          ///< kCancelled: the visit
  Visit visit;                    ///< kArrival: the visit
  std::vector<WorkerId> workers;  ///< kWorkersLost: the workers
  /// kWorkersLost: the visits that had joined there; kBatchPreempted: the batch's visits.
  std::vector<Visit> lost;
  Plan plan;              ///< kPlan: the plan
  TimeNs started_ns = 0;  ///< batches: the start; the next three are for batches too
  TimeNs expected_end_ns = 0;
  TimeNs ended_ns = kNever;
  std::vector<BatchVisit> visits;
  std::vector<double> values;  ///< kState: the state
};

/// Makes that callback.
void deliver(const ReplayCall& call, Scheduler& scheduler, Decisions& out);

/// True if decision `i` of `a` and of `b` are the same, to the bit; a missing decision differs.
bool same_decision(const Decisions& a, const Decisions& b, std::size_t i);

/// Returns the callback's name: "on_arrival".
const char* name_of(ReplayCall::Kind kind);
/// Returns the callback as text: "on_arrival(visit 7, request 12, sent 1.5 s, due 1.9 s, arrived 1.6 s)".
std::string text_of(const ReplayCall& call);
/// Returns a decision as text: "join(worker 3, visit 7)"; "nothing" behind the last one.
std::string decision_text(const Decisions& decisions, std::size_t i);
/// Returns a time as text: "12.345678901 s".
std::string time_text(TimeNs at);

// The code that turns the callbacks and decisions of a queue into the bytes of a ReplayLog, and back.
//
// Whole numbers are written as the difference to what they usually are: times to the callback's, visits and
// requests to the one before.

/// Values of the callbacks and decisions so far from which the next ones are predicted. Writer and reader
/// have the same.
struct ReplayContext {
  TimeNs now = 0;
  RequestId request = 0;
  TimeNs slo_ns = 0;
  WorkerId worker = 0;
  VisitId visit = 0;
};

/// Appends to a log, which must be empty at first and outlive the writer.
class ReplayWriter {
 public:
  explicit ReplayWriter(ReplayLog& log);
  /// Appends a callback with its decisions, which are those in `out` from the `first` on.
  void write(ReplayCall& call, const Decisions& out, std::size_t first);

 private:
  ReplayLog* log_;
  ReplayContext context_;
};

/// True if both are the same callback with the same arguments, to the bit.
bool same_call(const ReplayCall& a, const ReplayCall& b);

/// The first byte of a log; logs of other versions cannot be read.
inline constexpr std::byte kReplayVersion{5};

/// Reads a log, which outlives the reader.
class ReplayReader {
 public:
  explicit ReplayReader(const ReplayLog& log);
  /// Reads the next callback and its decisions (`out` is cleared first); returns false at the end, and if the
  /// log is damaged.
  bool next(ReplayCall& call, Decisions& out);
  /// True if the bytes were something else than the log's number of callbacks.
  bool damaged() const { return damaged_; }

 private:
  const ReplayLog* log_;
  std::size_t at_ = 0;
  std::uint64_t callbacks_ = 0;
  bool damaged_ = false;
  ReplayContext context_;
};

// The recorder of what reaches the schedulers of a run, and of what they decide.

/// Passes every callback on to another scheduler and writes it to a log, with the decisions that the other
/// one alone appended (the list may hold earlier ones). It decides nothing itself.
class RecordingScheduler final : public Scheduler {
 public:
  /// `log` is empty and outlives this.
  RecordingScheduler(std::unique_ptr<Scheduler> scheduler, ReplayLog& log);

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override;
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override;
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override;
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                          Decisions& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Decisions& out) override;
  void on_timer(TimeNs now, Decisions& out) override;

 private:
  void pass_on(ReplayCall::Kind kind, TimeNs now, Decisions& out);
  void pass_on(ReplayCall::Kind kind, TimeNs now, WorkerId worker, Decisions& out);
  void pass_on(ReplayCall::Kind kind, TimeNs now, const BatchView& batch, Decisions& out);

  std::unique_ptr<Scheduler> scheduler_;
  ReplayWriter writer_;
  ReplayCall call_;
};

/// The logs of a run's queues. Outlives the schedulers that it has wrapped.
class ReplayRecorder {
 public:
  /// Records nothing and costs nothing if `wanted` is false.
  explicit ReplayRecorder(bool wanted) : wanted_(wanted) {}
  /// Returns the scheduler, with a recorder around it if recording is wanted.
  std::unique_ptr<Scheduler> wrap(std::unique_ptr<Scheduler> scheduler, QueueId queue, GroupId group);
  /// Hands over all logs, in order of queue; the schedulers may not be called any more.
  std::vector<ReplayLog> take();

 private:
  bool wanted_;
  std::deque<ReplayLog> logs_;
};

}  // namespace harness
