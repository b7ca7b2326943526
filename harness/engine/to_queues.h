// The calls of the dispatcher to the queues: direct calls in virtual time, messages between ranks in a live
// run. They are made per batch or per message.
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/types.h"
#include "harness/serving/plan.h"

namespace harness {

struct Delivery;
struct Cancellation;

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

}  // namespace harness
