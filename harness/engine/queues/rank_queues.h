// The queues of one rank. It is the same object code for every runtime; the differences lie behind Workers
// and ToDispatcher.
#pragma once

#include <memory>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/queues/queue_host.h"
#include "harness/engine/replay/replay_recorder.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/to_dispatcher.h"
#include "harness/engine/to_queues.h"
#include "harness/engine/worker_state.h"
#include "harness/engine/workers.h"

namespace harness {

/// Makes the hosts of its queues and feeds them. Every public function is an event at virtual or wall time
/// `now`; none is re-entered except on_deliveries. Single-threaded.
class RankQueues {
 public:
  /// All arguments outlive this object. `spec.system` makes its schedulers.
  RankQueues(const RunSpec& spec, const ServingContext& context, Workers& workers,
             ToDispatcher& to_dispatcher, EngineTables& tables, Accounting& accounting);

  /// Has Workers::joined and Workers::closed called.
  void tell_joins() { environment_.tells_joins = true; }
  /// Has a batch that was formed when the one before it ended start at that end, as the next in a GPU's
  /// stream does, however late that end is heard of.
  void start_on_time() { starts_on_time_ = true; }

  // Commands of the dispatcher (ToQueues).
  void set_plan(TimeNs now, const Plan& plan);
  void open_queue(TimeNs now, QueueId queue, GroupId group);
  void add_worker(TimeNs now, QueueId queue, WorkerId worker);
  void drain_worker(TimeNs now, WorkerId worker, bool closes);
  /// Loses workers; those that are gone already are passed over.
  void lose_workers(TimeNs now, QueueId queue, std::span<const WorkerId> workers, bool closes);

  /// Lets visits arrive, one after the other; their records are in the tables, travelling.
  void on_deliveries(TimeNs now, std::span<const Delivery> deliveries);
  /// Ends the visit if it is still queued or on its way. Otherwise it ends only if it is lost before its
  /// batch starts, or preempted.
  void on_cancellation(TimeNs now, const Cancellation& cancellation);
  /// Handles the end of what the worker ran at `ended_ns`, not after `now`. Ignored if the worker was lost
  /// meanwhile.
  void on_batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns);
  /// Handles the stop of what the worker ran at `ended_ns`, at an exit point. Likewise ignored.
  void on_batch_preempted(TimeNs now, WorkerId worker, TimeNs ended_ns);
  void on_timer(TimeNs now, QueueId queue);
  /// Handles a module's published state that has reached this rank, except for the queues in `except`.
  void on_publication(TimeNs now, ModuleId module, std::span<const double> state,
                      std::span<const QueueId> except = {});
  /// Handles a state that has reached that queue alone.
  void on_publication_at(TimeNs now, QueueId queue, ModuleId module, std::span<const double> state);

  // Hints for the cache, without effect on the run.
  /// Hints that on_deliveries follows for these.
  void prefetch(std::span<const Delivery> deliveries) const;
  /// Hints that on_batch_done follows soon for this worker: fetches its batch and its host.
  void prefetch_batch(WorkerId worker) const;
  /// Hints the same, after prefetch_batch: fetches that batch's visits and the host's scheduler.
  void prefetch_visits(WorkerId worker) const;

  /// Returns the plan that holds; empty before the first.
  const Plan& plan() const { return plan_; }

  /// True if the queue is here and takes visits.
  bool is_open(QueueId queue) const {
    const QueueHost* const host = host_of(queue);
    return host != nullptr && !host->closed();
  }

  /// Returns what reached the queues, if the run records it; to be called after the last event.
  std::vector<ReplayLog> take_replay() { return replay_.take(); }

 private:
  QueueHost* host_of(QueueId queue) const { return queue < hosts_.size() ? hosts_[queue].get() : nullptr; }
  /// Sends back, or ends, a visit that no scheduler here may see.
  void turn_away(TimeNs now, VisitId visit);
  /// Sends back what is queued at a queue that closes, in (due, request) order.
  void return_queue(TimeNs now, QueueHost& host);
  void remove_worker(TimeNs now, WorkerId worker);

  const RunSpec& spec_;
  const ServingContext& context_;
  ToDispatcher& to_dispatcher_;
  EngineTables& tables_;
  Accounting& accounting_;
  Decisions decisions_;
  QueueHost::FreedWorker freed_;
  QueueHost::Environment environment_;
  bool starts_on_time_ = false;
  Plan plan_;
  ReplayRecorder replay_;
  std::vector<std::unique_ptr<QueueHost>> hosts_;  ///< hosts by queue id; null if gone or elsewhere
};

}  // namespace harness
