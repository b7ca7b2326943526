// Fast decisions of one queue domain: order, drop, form a batch, launch.
#pragma once

#include "harness/serving/decisions.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// One instance per queue domain, which serves the modules of a group (Plan::served_by), called from one
/// thread, never re-entered. `now` is the only clock; all randomness comes from streams keyed by the
/// context's seed. Callbacks a system does not need keep their empty default.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// The first call, and again whenever the plan changes.
  virtual void on_plan(TimeNs now, const Plan& plan, Decisions& out) = 0;
  /// A worker joins the domain, idle. on_worker_free follows.
  virtual void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// The worker leaves once it has run what it has: no further joins; launch its forming batch if there is
  /// one.
  virtual void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// These workers are gone at once, and what ran on them: nothing more is heard of them or of those batches,
  /// and no decision names them from here on. They may have been draining. `visits`: those of their forming
  /// batches, launched or not, in the order in which they joined. They are queued here again, arrived_ns as
  /// before, and may be joined to other workers at once. If no worker is left that is not draining,
  /// on_cancelled follows for every queued visit, these too: the host routes them again.
  virtual void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                               Decisions& out) = 0;
  /// A visit stands before this domain.
  virtual void on_arrival(TimeNs now, const Visit& visit, Decisions& out) = 0;
  /// A queued visit is gone (its request ended elsewhere, or it was handed to another domain): forget it.
  virtual void on_cancelled(TimeNs now, VisitId visit, Decisions& out) = 0;
  /// The worker is idle and has no launched batch.
  virtual void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// A launched batch has started; a new batch may form behind it.
  virtual void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) = 0;
  /// A batch has ended. If another one was launched, its on_batch_started follows, else on_worker_free.
  virtual void on_batch_done(TimeNs, const BatchView&, Decisions&) {}
  /// A batch has stopped at an exit point because the scheduler asked for it (Decisions::preempt): comes in
  /// place of on_batch_done, and is followed by the same. `visits`: those of the batch, in the order in which
  /// they joined, but for those whose requests are known to have ended. They are queued here again,
  /// arrived_ns as before.
  virtual void on_batch_preempted(TimeNs, const BatchView&, std::span<const Visit>, Decisions&) {}
  /// A module's published state has reached this domain (after its delay). `state` is what that controller
  /// published.
  virtual void on_state(TimeNs, ModuleId, std::span<const double>, Decisions&) {}
  /// The time asked for with wake_at has come.
  virtual void on_timer(TimeNs, Decisions&) {}
};

}  // namespace harness
