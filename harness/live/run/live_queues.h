// The queues of a rank in a live run. They take messages of the dispatcher and send messages to it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/active_faults.h"
#include "harness/engine/event.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/queues/rank_queues.h"
#include "harness/engine/to_dispatcher.h"
#include "harness/live/protocol/held_messages.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/run/live_batch_runner.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// The queues of a rank. Turns the dispatcher's messages into calls of RankQueues, and what the queues tell
/// into messages to the dispatcher; a LiveBatchRunner runs the batches. All times are of the run, on rank 0's
/// clock. A message that comes twice, or concerns something that is not here, is ignored. Single-threaded.
class LiveQueues final : private ToDispatcher {
 public:
  /// All arguments outlive this object. `events` takes events of the kinds of LiveEvent. `payload`, `devices`
  /// and `exchanges` are as for LiveBatchRunner.
  LiveQueues(const RunSpec& spec, const Layout& layout, int rank, bool payload, MessageWriter& out,
             EventQueue& events, DeviceWorkers* devices = nullptr, DeviceExchanges* exchanges = nullptr);
  LiveQueues(const LiveQueues&) = delete;
  LiveQueues& operator=(const LiveQueues&) = delete;

  /// Handles a message for queues or batches; returns false if it is another.
  bool take(TimeNs now, int from, Message& message);
  /// Handles the batches that devices have ended, as LiveBatchRunner::take_batches() does.
  bool take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time);
  /// Handles the tensors that GPUs have exchanged, as LiveBatchRunner::take_transfers() does.
  bool take_transfers(TimeNs now);
  /// Handles an event of a queue or worker; returns false if it is another.
  bool handle(TimeNs now, const Event& event);

  /// Returns this rank's accounting.
  const RunRecord& record() { return accounting_.rank_record(); }
  /// Returns what reached the queues here, if the run keeps it.
  std::vector<ReplayLog> take_replay() { return queues_.take_replay(); }
  /// Returns how long deliveries took to come here.
  const LatencyHistogram& delivery_delay() const { return delivery_delay_; }
  const LiveBatchRunner& runner() const { return runner_; }

 private:
  /// A queue of this rank.
  struct Place {
    std::uint32_t gpu = kNone;  ///< GPU of its first worker; kNone: the queue has never been here
    bool acknowledges = false;
  };

  void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void visit_dropped(TimeNs now, VisitId visit, DropReason reason) override;
  void visit_cancelled(TimeNs now, VisitId visit) override;
  void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) override;
  void worker_gone(TimeNs now, WorkerId worker) override;
  void report(ModuleId module, QueueId queue, std::span<const double> values) override;

  void take_plan(Message& message);
  void take_delivery(Message& message);
  void take_cancellation(Message& message);
  void take_state(Message& message);
  void open_queue(const QueueMessage& message);
  void add_worker(const WorkerMessage& message);
  void drain_worker(const WorkerMessage& message);
  void lose_workers(Message& message);
  Place place_of(QueueId queue) const { return queue < places_.size() ? places_[queue] : Place{}; }
  /// Returns the time at which a message of the queue sets off if it is sent now, as
  /// ActiveFaults::held_until.
  std::optional<TimeNs> held_until(QueueId queue);
  /// Returns the same time for an acknowledgement to the queue's router, if the router counts them; at once
  /// otherwise: in virtual time there is a message only if they are counted.
  std::optional<TimeNs> acknowledged_at(QueueId queue) {
    return place_of(queue).acknowledges ? held_until(queue) : std::nullopt;
  }
  void send_batch(MessageKind kind, TimeNs ended_ns, WorkerId worker, const WorkerState& state);
  void tell(MessageKind kind, TimeNs at_ns, VisitId visit, DropReason reason);
  bool is_here(WorkerId worker) const;

  const RunSpec& spec_;
  MessageWriter& out_;
  EventQueue& events_;
  TimeNs now_ = 0;  ///< time of the message or event that is being handled
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Accounting accounting_;
  ActiveFaults faults_;
  HeldMessages held_;
  LiveBatchRunner runner_;
  RankQueues queues_;
  std::vector<Place> places_;  ///< queues of this rank, by number
  LatencyHistogram delivery_delay_;
  std::vector<BatchEntry> entries_;
  std::vector<double> values_;
};

}  // namespace harness
