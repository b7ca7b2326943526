// What the dispatcher and the queue domains tell each other: direct calls within one rank, messages between
// ranks.
#pragma once

#include <span>

#include "harness/engine/worker_table.h"
#include "harness/serving/plan.h"

namespace harness {

/// What the dispatcher tells the queue domains. Rare: at the start and when workers come or go.
class DomainCommands {
 public:
  virtual ~DomainCommands() = default;
  /// The plan that holds from now on; the first call of all.
  virtual void set_plan(TimeNs now, const Plan& plan) = 0;
  /// Makes a domain without workers where `first_worker` is, for that group. The worker is added next, or
  /// when what its GPU runs for another group has ended; visits may come before.
  virtual void open_domain(TimeNs now, DomainId domain, GroupId group, WorkerId first_worker) = 0;
  /// The worker can serve the domain from now on.
  virtual void add_worker(TimeNs now, DomainId domain, WorkerId worker) = 0;
  /// The worker takes no further batch than those it has; DomainEvents::worker_gone follows. `closes`: the
  /// domain has no other, so that whatever is queued there or arrives later comes back.
  virtual void drain_worker(TimeNs now, WorkerId worker, bool closes) = 0;
  /// Workers of the domain are gone at once: what ran on them is lost (DomainEvents::batch_lost), what had
  /// joined is queued again; DomainEvents::worker_gone follows for each. `closes` as above; a domain that
  /// closes before it ever had a worker has none to lose.
  virtual void lose_workers(TimeNs now, DomainId domain, std::span<const WorkerId> workers, bool closes) = 0;
};

/// What the queue domains tell the dispatcher. `now` is when it happened.
class DomainEvents {
 public:
  virtual ~DomainEvents() = default;
  /// The worker's running batch has ended; `state.running` is valid during the call only.
  virtual void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// The worker's running batch has stopped at an exit point; its visits are queued again where they were.
  /// `state.running` is valid during the call only.
  virtual void batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// The worker is lost and with it the batch that it ran; `state.running` is valid during the call only.
  virtual void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) = 0;
  /// The scheduler drops a queued visit.
  virtual void visit_dropped(TimeNs now, VisitId visit, DropReason reason) = 0;
  /// A visit has left because of a cancellation.
  virtual void visit_cancelled(TimeNs now, VisitId visit) = 0;
  /// Visits of a domain that is closed, to be routed again.
  virtual void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) = 0;
  /// A draining worker has nothing left to run, or the worker is lost.
  virtual void worker_gone(TimeNs now, WorkerId worker) = 0;
};

}  // namespace harness
