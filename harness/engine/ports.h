// The calls between the dispatcher, the queues and the workers beneath them: direct calls in virtual time,
// messages between ranks in a live run. They are made per batch or per message.
#pragma once

#include <span>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/record/run/run_record.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// The state of one worker, which has at most one running batch, and one forming behind it.
struct alignas(64) WorkerState {
  enum class Life : std::uint8_t { kStarting, kServing, kDraining, kGone };
  enum class Next : std::uint8_t { kOpen, kFull, kLaunched };

  // The first cache line holds what a join touches.
  QueueId queue = kNone;
  Life life = Life::kStarting;
  bool busy = false;
  /// State of the forming batch; unless open, the batch waits for the running one.
  Next next = Next::kOpen;
  bool preempting = false;  ///< true if the running batch was asked to stop
  ModuleId forming_module = 0;
  /// Module of the batch that runs or ran last; before any batch, the first module of its group.
  ModuleId module = 0;
  GroupId group = 0;
  std::vector<BatchVisit> forming;
  std::vector<BatchVisit> running;

  TimeNs started_ns = 0;
  TimeNs expected_end_ns = 0;
  TimeNs service_gpu_ns = kNever;  ///< GPU time of the visit that runs; kNever: a batch runs
  TimeNs ended_ns = kNever;        ///< end of what runs, if its queue has not heard of it yet
  /// Place of its GPU in the cluster; for a slot or a thread a place that its server may share.
  std::uint32_t gpu = 0;
  std::uint32_t slot = 0;  ///< shared and delay: index among all workers that its module has had
  /// Live: number of its batches that were preempted, as far as is known here.
  std::uint32_t preempted = 0;
  WorkerTotals totals;

  /// Returns the end of what ran: `ended_ns` if it ended before `now`; otherwise it is heard of, or lost, at
  /// `now`.
  TimeNs end_ns(TimeNs now) const { return ended_ns < now ? ended_ns : now; }
  /// Returns the GPU time of what runs, summed over all its GPUs, if it ends `now`.
  TimeNs gpu_time_ns(TimeNs now) const {
    return service_gpu_ns == kNever ? (now - started_ns) * totals.gpus : service_gpu_ns;
  }
};

using WorkerTable = std::vector<WorkerState>;

/// A visit on its way to a queue.
struct Delivery {
  VisitId visit = 0;
  QueueId queue = 0;
};

/// A message that a visit's request has ended elsewhere. The visit's slot may have been reused when the
/// message arrives; the request and the index tell.
struct Cancellation {
  VisitId visit = 0;
  RequestId request = 0;
  std::uint16_t index = 0;
};

/// A visit that starts on a slot of a shared server or on a thread.
struct ServiceVisit {
  WorkerId worker = 0;
  /// Index of the worker among the workers of its module; the slots of one server follow one another.
  std::uint32_t slot = 0;
  ModuleId module = 0;
  RequestId request = 0;
  TokenCount tokens;  ///< shared only
};

/// The messages of the dispatcher. A message takes its delay; if it has no delay, the runtime may carry it
/// out at once.
class ToQueues {
 public:
  virtual ~ToQueues() = default;

  /// Carries visits to their queues; RankQueues::on_deliveries follows.
  virtual void deliver(std::span<const Delivery> deliveries) = 0;
  /// Carries a cancellation; RankQueues::on_cancellation follows.
  virtual void cancel(const Cancellation& cancellation) = 0;
  /// Carries a module's published state to its own queues and the other controllers:
  /// RankQueues::on_publication and Dispatcher::on_publication.
  virtual void publish(ModuleId module, std::span<const double> state) = 0;

  // At the start and when workers come or go.
  /// Sets the plan that holds from now on; the first call of all.
  virtual void set_plan(TimeNs now, const Plan& plan) = 0;
  /// Makes a queue without workers for that group, at that GPU. Its first worker is added next, or when what
  /// its GPU runs for another group has ended, or when a plan says so; visits may come before.
  virtual void open_queue(TimeNs now, QueueId queue, GroupId group, std::uint32_t gpu) = 0;
  /// Lets the worker serve the queue from now on.
  virtual void add_worker(TimeNs now, QueueId queue, WorkerId worker) = 0;
  /// Drains the worker: it takes no further batch than those it has; ToDispatcher::worker_gone follows.
  /// `closes` says that the queue has no other worker, so that whatever is queued there or arrives later
  /// comes back.
  virtual void drain_worker(TimeNs now, WorkerId worker, bool closes) = 0;
  /// Removes workers of the queue at once: what ran on them is lost (ToDispatcher::batch_lost), and visits
  /// that had joined are queued again; ToDispatcher::worker_gone follows for each worker. `closes` is as
  /// above; a queue that closes before it ever had a worker has no workers to lose.
  virtual void lose_workers(TimeNs now, QueueId queue, std::span<const WorkerId> workers, bool closes) = 0;

  // Messages to itself, for later.
  /// Tells the router of `module`, after the delay of a message, that `count` visits have left `queue`:
  /// Dispatcher::on_acknowledgement.
  virtual void acknowledge(ModuleId module, QueueId queue, int count) = 0;
  /// Calls Dispatcher::on_worker_ready(worker) after its cold start.
  virtual void start_worker(WorkerId worker, TimeNs cold_start_ns) = 0;
};

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

/// The part of a runtime that runs the batches of the queues and wakes them.
class Workers {
 public:
  virtual ~Workers() = default;

  /// Runs a batch; the runtime calls RankQueues::on_batch_done(worker) when it ends. `handover_ns` is the
  /// time from its start until an emulated GPU turns to it.
  virtual void run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) = 0;
  /// Runs one visit on a worker whose service is shared or delay; on_batch_done(worker) follows as well.
  virtual void run_visit(const ServiceVisit& visit) = 0;
  /// Tells that the visit has joined the worker's forming batch, so that what it needs may be brought there.
  /// Called only after RankQueues::tell_joins().
  virtual void joined(WorkerId /*worker*/, VisitId /*visit*/) {}
  /// Tells that the worker's forming batch is full, or launched while another runs: it starts when that one
  /// has ended, as it is, so the GPU may be given it at once. Called only after RankQueues::tell_joins().
  virtual void closed(WorkerId /*worker*/) {}
  /// Makes the worker's running batch stop at its next exit point; RankQueues::on_batch_preempted(worker)
  /// follows then, unless the batch ends before.
  virtual void preempt(WorkerId worker) = 0;
  /// Calls RankQueues::on_timer(queue) at `at_ns`, unless a call for an earlier time came meanwhile.
  virtual void wake_at(QueueId queue, TimeNs at_ns) = 0;
};

}  // namespace harness
