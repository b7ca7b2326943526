// A callback of a scheduler as a value, with what the scheduler decided in answer.
#pragma once

#include <string>
#include <vector>

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

}  // namespace harness
