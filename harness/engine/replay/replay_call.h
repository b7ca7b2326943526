// A callback of a scheduler as a value, and its text and the text of the decisions in answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/serving/decision.h"
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

}  // namespace harness
