// A callback of a scheduler as a value, with what the scheduler decided in answer, and as bytes of a log.
#pragma once

#include <string>
#include <vector>

#include "harness/record/replay_log.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// One callback with its arguments. Which fields count depends on `kind`.
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
  WorkerId worker = 0;            ///< worker callbacks and batches
  ModuleId module = 0;            ///< batches: what they run; kState: who published
  VisitId cancelled = 0;          ///< kCancelled
  Visit visit;                    ///< kArrival
  std::vector<WorkerId> workers;  ///< kWorkersLost
  std::vector<Visit> lost;        ///< kWorkersLost: what had joined there; kBatchPreempted: the visits
  Plan plan;                      ///< kPlan
  TimeNs started_ns = 0;          ///< batches, as the next three
  TimeNs expected_end_ns = 0;
  TimeNs ended_ns = kNever;
  std::vector<BatchVisit> visits;
  std::vector<double> values;  ///< kState
};

/// Makes that callback.
void deliver(const ReplayCall& call, Scheduler& scheduler, Decisions& out);

/// Whether decision `i` of `a` and of `b` are the same, to the bit; one that is missing differs.
bool same_decision(const Decisions& a, const Decisions& b, std::size_t i);

/// "on_arrival": the callback's name.
const char* name_of(ReplayCall::Kind kind);
/// "on_arrival(visit 7, request 12, sent 1.5 s, due 1.9 s, arrived 1.6 s)".
std::string text_of(const ReplayCall& call);
/// "join(worker 3, visit 7)"; "nothing" behind the last one.
std::string decision_text(const Decisions& decisions, std::size_t i);
/// "12.345678901 s".
std::string time_text(TimeNs at);

// How the callbacks and decisions of a queue domain become the bytes of a ReplayLog, and back.
//
// Whole numbers are written as the difference to what they usually are: times to the callback's, visits and
// requests to the one before.

/// What the callbacks and decisions so far say about the next ones. The same on both sides.
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
  /// Appends a callback with its decisions: those of `out` from the `first` on.
  void write(ReplayCall& call, const Decisions& out, std::size_t first);

 private:
  ReplayLog* log_;
  ReplayContext context_;
};

/// Whether both are the same callback with the same arguments, to the bit.
bool same_call(const ReplayCall& a, const ReplayCall& b);

/// Reads a log, which outlives the reader.
class ReplayReader {
 public:
  explicit ReplayReader(const ReplayLog& log);
  /// The next callback and its decisions (`out` is cleared first); false at the end, and when the log is
  /// damaged.
  bool next(ReplayCall& call, Decisions& out);
  /// Whether the bytes were something else than the log's number of callbacks.
  bool damaged() const { return damaged_; }

 private:
  const ReplayLog* log_;
  std::size_t at_ = 0;
  std::uint64_t callbacks_ = 0;
  bool damaged_ = false;
  ReplayContext context_;
};

}  // namespace harness
