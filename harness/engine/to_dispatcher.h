// The calls of the queues to the dispatcher: direct calls in virtual time, messages between ranks in a live
// run. They are made per batch or per message.
#pragma once

#include <span>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/engine/worker_state.h"
#include "harness/serving/visit.h"

namespace harness {

/// The messages of the queues. `now` is the time at which it happened.
class ToDispatcher {
 public:
  virtual ~ToDispatcher() = default;

  /// Tells that the worker's running batch has ended; `state.running` is valid during the call only.
  virtual void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// Tells that the worker's running batch has stopped at an exit point; its visits are queued again where
  /// they were. `state.running` is valid during the call only.
  virtual void batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// Tells that the worker is lost, and with it the batch that it ran; `state.running` is valid during the
  /// call only.
  virtual void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// Tells that the scheduler drops a queued visit.
  virtual void visit_dropped(TimeNs now, VisitId visit, DropReason reason) = 0;
  /// Tells that a visit has left because of a cancellation.
  virtual void visit_cancelled(TimeNs now, VisitId visit) = 0;
  /// Returns the visits of a queue that is closed, to be routed again.
  virtual void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) = 0;
  /// Tells that a draining worker has nothing left to run, or that the worker is lost.
  virtual void worker_gone(TimeNs now, WorkerId worker) = 0;
  /// Carries a queue's report to its module's controller: Dispatcher::on_report.
  virtual void report(ModuleId module, QueueId queue, std::span<const double> values) = 0;
};

}  // namespace harness
