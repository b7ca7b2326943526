// The world of a run in virtual time: its events, its workers' timers, its messages. simulate() makes one.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "harness/engine/arrival_cursor.h"
#include "harness/engine/cluster.h"
#include "harness/engine/domain_timers.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/mailbox.h"
#include "harness/engine/worker_models.h"
#include "harness/sim/scheduler_queues.h"

namespace harness {

/// One run. Single-threaded.
class VirtualWorld final : private World {
 public:
  /// `spec` outlives the world. `rows` may be null.
  VirtualWorld(const RunSpec& spec, RowSink* rows);
  /// Runs to the end; called once.
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
    DomainId domain = 0;
    std::vector<double> values;
    std::vector<DomainId> except;  ///< a publication's: it does not go there
  };

  /// The notice of a batch's end, held by a faulty link.
  struct BatchNotice {
    WorkerId worker = 0;
    WorkerState state;
    TimeNs ended_ns = 0;
  };

  struct AcknowledgementMessage {
    ModuleId module = 0;
    DomainId domain = 0;
    int count = 0;
  };

  void run_batch(WorkerId worker, TimeNs profile_ns) override;
  void run_visit(const ServiceVisit& visit) override;
  void deliver(std::span<const Delivery> deliveries) override;
  void cancel(const Cancellation& cancellation) override;
  void preempt(WorkerId worker) override {
    workers_.preempt(now_, worker, cluster_.module_of_worker(worker));
  }
  void wake_at(DomainId domain, TimeNs at_ns) override;
  void report(ModuleId module, DomainId domain, std::span<const double> values) override;
  void publish(ModuleId module, std::span<const double> state) override;
  void acknowledge(ModuleId module, DomainId domain, int count) override;
  void start_worker(WorkerId worker, TimeNs cold_start_ns) override;
  bool holds_batch_done(WorkerId worker, const WorkerState& state) override;

  void start();
  void handle(const Event& event);
  /// A message to the domain's scheduler: handled now or, where messages cost time, when its turn has come.
  void tell(DomainId domain, SchedulerMessage message);
  void handle_message(DomainId domain, SchedulerMessage message);
  /// What the worker ran has ended or stopped.
  void tell_of_end(Message kind, WorkerId worker);
  /// The visit stands before its domain, unless its scheduler's inbox is full.
  void arrive(const Delivery& delivery);
  /// Of schedulers whose work costs time: false: the inbox is full and the visit is dropped. A domain that
  /// takes no visits any more sends it elsewhere and refuses none.
  bool enter_inbox(const Delivery& delivery);
  void tell_publication(const ValuesMessage& message);
  /// The domain's scheduler has spent what its first message costs. What waits at a domain that takes no
  /// visits any more costs nothing.
  void handle_scheduler(DomainId domain);
  void prefetch_upcoming() const;
  void handle_deliveries(std::uint32_t slot);
  void handle_values(EventKind kind, std::uint32_t slot);
  void handle_plan_period();
  void await_planning();
  void handle_late_batch_done(std::uint32_t slot);
  void handle_publication_at(std::uint32_t slot);
  bool links_are_faulty() { return now_ <= cluster_.faults().links_until_ns(); }
  /// As ActiveFaults::held_until, for a message sent now.
  std::optional<TimeNs> held_until(DomainId domain, LinkDirection direction) {
    return cluster_.faults().held_until(now_, cluster_.gpu_of_domain(domain), direction);
  }
  void deliver_over_faulty_links(std::span<const Delivery> deliveries);
  /// The message to that domain alone, in a slot of its own.
  std::uint32_t put_publication_at(DomainId domain, const ValuesMessage& message);
  void publish_over_faulty_links(ValuesMessage& message);
  void check_progress();

  const RunSpec& spec_;
  TimeNs now_ = 0;
  TimeNs network_ns_;
  TimeNs state_delay_ns_;
  TimeNs state_period_ns_;
  bool joins_end_;  ///< what has joined a batch may leave it: a fault takes the worker, or it is preempted
  EventQueue events_;
  WorkerModels workers_;
  DomainTimers timers_;
  std::optional<SchedulerQueues> schedulers_;  ///< with a cost only
  SchedulerStopwatch stopwatch_;
  Cluster cluster_;
  ArrivalCursor arrivals_;
  Mailbox<std::vector<Delivery>> deliveries_;
  Mailbox<Cancellation> cancellations_;
  Mailbox<ValuesMessage> values_;
  Mailbox<AcknowledgementMessage> acknowledgements_;
  Mailbox<BatchNotice> notices_;
  DomainId heard_from_ = kNone;  ///< the domain whose held notice is being handled
  std::deque<Plan> next_plans_;  ///< computed, not in effect yet; in order
  std::uint64_t seen_progress_ = 0;
  TimeNs progress_check_ns_ = 0;
};

}  // namespace harness
