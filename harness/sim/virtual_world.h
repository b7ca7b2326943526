// A run in virtual time: its events, its workers' timers, its messages. simulate() makes a VirtualWorld.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/arrival_source.h"
#include "harness/engine/active_faults.h"
#include "harness/engine/dispatch/dispatcher.h"
#include "harness/engine/event.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/mailbox.h"
#include "harness/engine/queue_timers.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/queues/rank_queues.h"
#include "harness/engine/queues/worker_models.h"
#include "harness/sim/scheduler_message.h"
#include "harness/sim/scheduler_queues.h"

namespace harness {

/// One run: the dispatcher and all queues over the same tables, connected by direct calls and by messages
/// with delays. Each event is handled completely before the next. The handling of an event is never
/// re-entered, with one exception: without a network delay a delivery arrives at once. Single-threaded.
class VirtualWorld final : private ToQueues, private ToDispatcher, private Workers {
 public:
  /// `spec` must outlive the world. `rows` may be null.
  VirtualWorld(const RunSpec& spec, RowSink* rows);
  /// Runs to the end and returns the record. Called once. Throws CellFailed like simulate().
  RunRecord run();

 private:
  enum EventKind : std::uint32_t {
    kBatchDone,
    kServer,
    kBatchPreempted,
    kDeliveries,
    kCancellation,
    kTimer,
    kReport,
    kPublication,
    kAcknowledgement,
    kWorkerReady,
    kStatePeriod,
    kPlanPeriod,
    kPlanReady,
    kFaultChange,
    kLateBatchDone,
    kLatePublication,
    kScheduler,
  };

  using Message = SchedulerMessage::Kind;

  struct ValuesMessage {
    ModuleId module = 0;
    QueueId queue = 0;
    std::vector<double> values;
    std::vector<QueueId> except;  ///< queues to which a publication does not go
  };

  /// The notice of a batch's end that a faulty link holds.
  struct BatchNotice {
    WorkerId worker = 0;
    WorkerState state;
    TimeNs ended_ns = 0;
  };

  struct AcknowledgementMessage {
    ModuleId module = 0;
    QueueId queue = 0;
    int count = 0;
  };

  void run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) override;
  void run_visit(const ServiceVisit& visit) override;
  void preempt(WorkerId worker) override { workers_.preempt(now_, worker, tables_.workers[worker].module); }
  void wake_at(QueueId queue, TimeNs at_ns) override;

  void deliver(std::span<const Delivery> deliveries) override;
  void cancel(const Cancellation& cancellation) override;
  void publish(ModuleId module, std::span<const double> state) override;
  void set_plan(TimeNs now, const Plan& plan) override { queues_.set_plan(now, plan); }
  void open_queue(TimeNs now, QueueId queue, GroupId group, std::uint32_t) override {
    queues_.open_queue(now, queue, group);
  }
  void add_worker(TimeNs now, QueueId queue, WorkerId worker) override {
    queues_.add_worker(now, queue, worker);
  }
  void drain_worker(TimeNs now, WorkerId worker, bool closes) override {
    queues_.drain_worker(now, worker, closes);
  }
  void lose_workers(TimeNs now, QueueId queue, std::span<const WorkerId> workers, bool closes) override {
    queues_.lose_workers(now, queue, workers, closes);
  }
  void acknowledge(ModuleId module, QueueId queue, int count) override;
  void start_worker(WorkerId worker, TimeNs cold_start_ns) override;

  void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) override {
    if (now <= faults_.links_until_ns() && holds_batch_done(worker, state)) [[unlikely]]
      return;
    dispatcher_.on_batch_done(now, worker, state);
  }
  void batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) override {
    dispatcher_.on_batch_preempted(now, worker, state);
  }
  void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) override {
    dispatcher_.on_batch_lost(now, worker, state);
  }
  void visit_dropped(TimeNs now, VisitId visit, DropReason reason) override {
    dispatcher_.on_visit_dropped(now, visit, reason);
  }
  void visit_cancelled(TimeNs now, VisitId visit) override { dispatcher_.on_visit_cancelled(now, visit); }
  void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) override {
    dispatcher_.on_visits_returned(now, module, visits);
  }
  void worker_gone(TimeNs now, WorkerId worker) override { dispatcher_.on_worker_gone(now, worker); }
  void report(ModuleId module, QueueId queue, std::span<const double> values) override;

  /// Returns true if a faulty link delays the notice of a batch's end (kLateBatchDone follows) or loses it.
  bool holds_batch_done(WorkerId worker, const WorkerState& state);
  void start();
  void handle(const Event& event);
  /// Sends a message to the queue's scheduler, which handles it now or, if messages cost time, in its turn.
  void tell(QueueId queue, SchedulerMessage message);
  void handle_message(QueueId queue, SchedulerMessage message);
  /// Tells the queue that the worker's batch or visit has ended or stopped.
  void tell_of_end(Message kind, WorkerId worker);
  /// Lets the visits arrive at their queues, except if a scheduler's queue of messages is full.
  void arrive(std::span<const Delivery> deliveries);
  /// For schedulers whose work costs time. Returns false if the queue of messages is full, and drops the
  /// visit. A queue that takes no visits any more sends them elsewhere and refuses no visit.
  bool enter_scheduler_queue(const Delivery& delivery);
  void tell_publication(const ValuesMessage& message);
  /// Called when the queue's scheduler has spent the cost of its first message: handles that message.
  /// Messages that wait at a queue which takes no visits any more cost nothing, and are handled, too.
  void handle_scheduler(QueueId queue);
  /// True if the data that events touch are probably larger than the near caches; if they are not,
  /// prefetching for upcoming events costs PARD more than it gains. The number of pending events is about the
  /// number of running workers.
  bool prefetches() const { return events_.size() >= 256; }
  void prefetch_upcoming();
  void handle_deliveries(std::uint32_t slot);
  void handle_values(EventKind kind, std::uint32_t slot);
  void handle_plan_period();
  void await_planning();
  void handle_late_batch_done(std::uint32_t slot);
  void handle_publication_at(std::uint32_t slot);
  bool links_may_be_faulty() const { return now_ <= faults_.links_until_ns(); }
  /// Returns ActiveFaults::held_until() for a message that is sent now.
  std::optional<TimeNs> held_until(QueueId queue, LinkDirection direction) {
    return faults_.held_until(now_, queue == kNone ? kNone : dispatcher_.gpu_of(queue), direction);
  }
  void deliver_over_faulty_links(std::span<const Delivery> deliveries);
  /// Puts the message for that queue alone into a slot of its own, and returns the slot.
  std::uint32_t put_publication_at(QueueId queue, const ValuesMessage& message);
  void publish_over_faulty_links(ValuesMessage& message);
  /// Returns the number of batches started and visits dropped so far. It stays equal only if nothing happens.
  std::uint64_t progress() const;
  void check_progress();
  void report_progress() const {
    if (spec_.progress) spec_.progress(now_, accounting_.record().sent);
  }
  std::string waiting_text() const;
  /// Throws CellFailed: requests are in the system, and the next event is too late to wait for, or no event
  /// is pending (kNever).
  [[noreturn]] void give_up(TimeNs event_ns) const;
  /// Closes the accounting and returns the record. An accounting that does not close is a bug.
  RunRecord close(std::uint64_t events);

  const RunSpec& spec_;
  TimeNs last_ns_;  ///< time at which a run that is not over fails
  TimeNs now_ = 0;
  TimeNs network_ns_;
  TimeNs state_delay_ns_;
  TimeNs state_period_ns_;
  bool joins_end_;  ///< true if a visit may leave its batch: through a fault of the worker, or by preemption
  EventQueue events_;
  WorkerModels workers_;
  QueueTimers timers_;
  std::optional<SchedulerQueues> schedulers_;  ///< queues of messages; only if messages cost time
  ActiveFaults faults_;
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Accounting accounting_;
  RankQueues queues_;
  Dispatcher dispatcher_;
  ArrivalCursor arrivals_;
  Mailbox<std::vector<Delivery>> deliveries_;
  Mailbox<Cancellation> cancellations_;
  Mailbox<ValuesMessage> values_;
  Mailbox<AcknowledgementMessage> acknowledgements_;
  Mailbox<BatchNotice> notices_;
  QueueId heard_from_ = kNone;   ///< queue whose held notice is being handled
  std::deque<Plan> next_plans_;  ///< plans that are computed but not in effect yet, in order
  std::uint64_t seen_progress_ = 0;
  TimeNs progress_check_ns_ = 0;
};

}  // namespace harness
