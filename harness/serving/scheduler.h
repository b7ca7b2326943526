// Fast decisions of one queue: order, drop, form a batch, launch.
#pragma once

#include <span>

#include "harness/core/types.h"
#include "harness/serving/decision.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// The scheduler of one queue, which serves the modules of a group (Plan::served_by). It is called from one
/// thread and never re-entered. `now` is the only clock; all randomness comes from streams keyed by the
/// context's seed. Callbacks that a system does not need keep their empty default.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Called first of all, and again whenever the plan changes.
  virtual void on_plan(TimeNs now, const Plan& plan, Decisions& out) = 0;
  /// Called when a worker joins the queue, idle. on_worker_free follows.
  virtual void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when the worker is to leave once it has run what it has. No more visits may join it; its forming
  /// batch must be launched if there is one.
  virtual void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when these workers are gone at once, with the batches that ran on them. Nothing more is heard of
  /// either, and no decision may name the workers from here on. They may have been draining. `visits` had
  /// joined their forming batches, launched or not, and are in the order in which they joined. They are
  /// queued here again, arrived_ns as before, and may be joined to other workers at once. If no worker is
  /// left that is not draining, on_cancelled follows for every queued visit, these too, because the host
  /// routes them again (unless the queue stays, SystemTraits::scales_to_zero).
  virtual void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                               Decisions& out) = 0;
  /// Called when a visit arrives at this queue.
  virtual void on_arrival(TimeNs now, const Visit& visit, Decisions& out) = 0;
  /// Called when a queued visit is gone (its request ended elsewhere, or it was handed to another queue):
  /// forget it.
  virtual void on_cancelled(TimeNs now, VisitId visit, Decisions& out) = 0;
  /// Called when the worker is idle and has no launched batch.
  virtual void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when a launched batch has started; a new batch may form behind it.
  virtual void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) = 0;
  /// Called when a batch has ended. If another one was launched, its on_batch_started follows, else
  /// on_worker_free.
  virtual void on_batch_done(TimeNs, const BatchView&, Decisions&) {}
  /// Called in place of on_batch_done, and followed by the same calls, when a batch has stopped at an exit
  /// point because the scheduler asked for it (Decisions::preempt). The visits are the batch's, in the order
  /// in which they joined, except any whose requests are known to have ended. They are queued here again,
  /// arrived_ns as before.
  virtual void on_batch_preempted(TimeNs, const BatchView&, std::span<const Visit>, Decisions&) {}
  /// Called when a module's published state has reached this queue (after its delay). The values are the ones
  /// that the module's controller published.
  virtual void on_state(TimeNs, ModuleId, std::span<const double>, Decisions&) {}
  /// Called when the time asked for with wake_at has come.
  virtual void on_timer(TimeNs, Decisions&) {}
};

}  // namespace harness
