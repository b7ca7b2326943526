#include "harness/sim/simulation.h"

#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "harness/core/error.h"
#include "harness/engine/active_faults.h"
#include "harness/engine/arrival_cursor.h"
#include "harness/engine/cluster.h"
#include "harness/engine/domain_timers.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/mailbox.h"
#include "harness/engine/worker_models.h"

namespace harness {
namespace {

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
};

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

class Simulation final : private World {
 public:
  Simulation(const RunSpec& spec, RowSink* rows);
  RunRecord run();

 private:
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
  void start_worker(WorkerId worker) override;
  bool holds_batch_done(WorkerId worker, const WorkerState& state) override;

  void start();
  void handle(const Event& event);
  void prefetch_upcoming() const;
  void handle_deliveries(std::uint32_t slot);
  void handle_values(EventKind kind, std::uint32_t slot);
  void handle_plan_period();
  void handle_late_batch_done(std::uint32_t slot);
  void handle_late_publication(std::uint32_t slot);
  bool links_are_faulty() { return now_ <= cluster_.faults().links_until_ns(); }
  /// As ActiveFaults::held_until, for a message sent now.
  std::optional<TimeNs> held_until(DomainId domain, LinkDirection direction) {
    return cluster_.faults().held_until(now_, cluster_.gpu_of_domain(domain), direction);
  }
  void deliver_over_faulty_links(std::span<const Delivery> deliveries);
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

Simulation::Simulation(const RunSpec& spec, RowSink* rows)
    : spec_(spec),
      network_ns_(ms_to_ns(spec.world.network_delay_ms)),
      state_delay_ns_(ms_to_ns(spec.serving.state_delay_ms)),
      state_period_ns_(ms_to_ns(spec.serving.state_period_ms)),
      joins_end_(!spec.faults.empty() || spec.system->preempts()),
      workers_(spec, events_, {kBatchDone, kServer, kBatchPreempted}),
      timers_(events_, kTimer),
      cluster_(spec, *this, rows),
      arrivals_(spec.arrivals->restarted()) {}

void Simulation::start() {
  cluster_.start(now_);
  // Controllers publish just after the reports of the same period have reached them.
  if (cluster_.has_controllers()) events_.push(state_period_ns_ + state_delay_ns_ + 1, kStatePeriod, 0);
  if (spec_.planner.autoscale) events_.push(s_to_ns(spec_.planner.period_s), kPlanPeriod, 0);
  const std::vector<FaultChange>& changes = cluster_.faults().changes();
  for (std::uint32_t i = 0; i < changes.size(); ++i) events_.push(changes[i].at_ns, kFaultChange, i);
}

RunRecord Simulation::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kEventsBetweenReports = 8192;
  const Clock::time_point began = Clock::now();
  set_bug_context({spec_.seed, reinterpret_cast<const long long*>(&now_)});
  start();
  std::uint64_t handled = 0;
  std::uint64_t next_report = kEventsBetweenReports;
  for (;;) {
    const TimeNs event_ns = events_.empty() ? kNever : events_.top().at_ns;
    if (arrivals_.next_ns() < event_ns) {
      now_ = arrivals_.next_ns();
      const StreamId stream = arrivals_.next_stream();
      arrivals_.advance();
      cluster_.on_request(now_, stream);
    } else {
      if (arrivals_.next_ns() == kNever && cluster_.live_requests() == 0) break;
      HARNESS_CHECK(event_ns != kNever, "requests wait and nothing is due");
      const Event event = events_.pop();
      now_ = event.at_ns;
      handle(event);
    }
    if (++handled >= next_report) {
      next_report = handled + kEventsBetweenReports;
      check_progress();
      if (spec_.progress) spec_.progress(now_, cluster_.sent());
    }
  }
  RunRecord record = cluster_.close(now_, handled);
  set_bug_context({});
  record.wall_s = std::chrono::duration<double>(Clock::now() - began).count();
  return record;
}

void Simulation::check_progress() {
  constexpr TimeNs kLongestStandstill = 3600 * kNsPerS;
  if (arrivals_.next_ns() != kNever || now_ < progress_check_ns_) return;
  HARNESS_CHECK(progress_check_ns_ == 0 || cluster_.progress() != seen_progress_,
                "the load has ended, requests are queued, and no batch has started for an hour");
  seen_progress_ = cluster_.progress();
  progress_check_ns_ = now_ + kLongestStandstill;
}

void Simulation::handle(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case kBatchDone:
      prefetch_upcoming();
      if (workers_.takes_end(event.index, now_)) cluster_.on_batch_done(now_, event.index);
      break;
    case kBatchPreempted:
      if (workers_.takes_stop(event.index, now_)) cluster_.on_batch_preempted(now_, event.index);
      break;
    case kServer:
      for (const WorkerId worker : workers_.on_server(event.index, now_))
        cluster_.on_batch_done(now_, worker);
      break;
    case kDeliveries:
      handle_deliveries(event.index);
      break;
    case kCancellation:
      cluster_.on_cancellation(now_, cancellations_[event.index]);
      cancellations_.release(event.index);
      break;
    case kTimer:
      if (timers_.take(event.index, event.at_ns)) cluster_.on_timer(now_, event.index);
      break;
    case kReport:
    case kPublication:
      handle_values(static_cast<EventKind>(event.kind), event.index);
      break;
    case kAcknowledgement: {
      const AcknowledgementMessage& message = acknowledgements_[event.index];
      cluster_.on_acknowledgement(message.module, message.domain, message.count);
      acknowledgements_.release(event.index);
      break;
    }
    case kWorkerReady:
      cluster_.on_worker_ready(now_, event.index);
      break;
    case kStatePeriod:
      cluster_.on_period(now_);
      events_.push(now_ + state_period_ns_, kStatePeriod, 0);
      break;
    case kPlanPeriod:
      handle_plan_period();
      break;
    case kPlanReady:
      cluster_.apply_plan(now_, next_plans_.front());
      next_plans_.pop_front();
      break;
    case kFaultChange:
      cluster_.on_fault_change(now_, event.index);
      break;
    case kLateBatchDone:
      handle_late_batch_done(event.index);
      break;
    case kLatePublication:
      handle_late_publication(event.index);
      break;
  }
}

void Simulation::prefetch_upcoming() const {
  const std::span<const Event> upcoming = events_.upcoming();
  for (std::size_t i = 0; i < upcoming.size(); ++i) {
    if (upcoming[i].kind != kBatchDone) continue;
    if (i == 0) {
      cluster_.prefetch_batch(upcoming[i].index);
    } else {
      cluster_.prefetch_worker(upcoming[i].index);
    }
  }
}

void Simulation::handle_deliveries(std::uint32_t slot) {
  cluster_.prefetch(deliveries_[slot]);
  for (const Delivery& delivery : deliveries_[slot]) cluster_.on_delivery(now_, delivery);
  deliveries_.release(slot);
}

void Simulation::handle_values(EventKind kind, std::uint32_t slot) {
  const ValuesMessage& message = values_[slot];
  if (kind == kReport) {
    cluster_.on_report(now_, message.module, message.domain, message.values);
  } else {
    cluster_.on_publication(now_, message.module, message.values, message.except);
  }
  values_.release(slot);
}

void Simulation::handle_plan_period() {
  next_plans_.push_back(cluster_.compute_plan(now_));
  events_.push(now_ + ms_to_ns(spec_.planner.plan_time_ms), kPlanReady, 0);
  events_.push(now_ + s_to_ns(spec_.planner.period_s), kPlanPeriod, 0);
}

void Simulation::run_batch(WorkerId worker, TimeNs profile_ns) {
  ActiveFaults& faults = cluster_.faults();
  if (faults.slows()) [[unlikely]] {
    workers_.run_batch_slowly(now_, worker, profile_ns, faults.factor(cluster_.gpu_of_worker(worker)));
    return;
  }
  workers_.run_batch(now_, worker, profile_ns);
}

void Simulation::run_visit(const ServiceVisit& visit) { workers_.run_visit(now_, visit); }

void Simulation::deliver(std::span<const Delivery> deliveries) {
  if (deliveries.empty()) return;
  if (links_are_faulty()) [[unlikely]] {
    deliver_over_faulty_links(deliveries);
    return;
  }
  if (network_ns_ == 0) {
    cluster_.prefetch(deliveries);
    for (const Delivery& delivery : deliveries) cluster_.on_delivery(now_, delivery);
    return;
  }
  const std::uint32_t slot = deliveries_.put();
  deliveries_[slot].assign(deliveries.begin(), deliveries.end());
  events_.push(now_ + network_ns_, kDeliveries, slot);
}

void Simulation::deliver_over_faulty_links(std::span<const Delivery> deliveries) {
  for (const Delivery delivery : deliveries) {
    const std::optional<TimeNs> held = held_until(delivery.domain, LinkDirection::kDown);
    if (held == kNever) {
      cluster_.on_delivery_lost(now_, delivery.visit);
    } else if (!held && network_ns_ == 0) {
      cluster_.on_delivery(now_, delivery);
    } else {
      const std::uint32_t slot = deliveries_.put();
      deliveries_[slot].assign(1, delivery);
      events_.push(held.value_or(now_) + network_ns_, kDeliveries, slot);
    }
  }
}

void Simulation::cancel(const Cancellation& cancellation) {
  if (!joins_end_ && cluster_.has_joined(cancellation.visit)) return;
  TimeNs sent_ns = now_;
  if (links_are_faulty()) [[unlikely]] {
    sent_ns = held_until(cluster_.domain_of_visit(cancellation.visit), LinkDirection::kDown).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = cancellations_.put();
  cancellations_[slot] = cancellation;
  events_.push(sent_ns + network_ns_, kCancellation, slot);
}

void Simulation::wake_at(DomainId domain, TimeNs at_ns) { timers_.wake_at(domain, at_ns); }

void Simulation::report(ModuleId module, DomainId domain, std::span<const double> values) {
  TimeNs sent_ns = now_;
  if (links_are_faulty()) [[unlikely]] {
    sent_ns = held_until(domain, LinkDirection::kUp).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].domain = domain;
  values_[slot].values.assign(values.begin(), values.end());
  events_.push(sent_ns + state_delay_ns_, kReport, slot);
}

void Simulation::publish(ModuleId module, std::span<const double> state) {
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].values.assign(state.begin(), state.end());
  values_[slot].except.clear();
  if (links_are_faulty()) [[unlikely]] {
    publish_over_faulty_links(values_[slot]);
  }
  events_.push(now_ + state_delay_ns_, kPublication, slot);
}

void Simulation::publish_over_faulty_links(ValuesMessage& message) {
  for (const DomainView& view : cluster_.open_domains(message.module)) {
    const std::optional<TimeNs> held = held_until(view.id, LinkDirection::kDown);
    if (!held) continue;
    message.except.push_back(view.id);
    if (held == kNever) continue;
    const std::uint32_t slot = values_.put();
    values_[slot].module = message.module;
    values_[slot].domain = view.id;
    values_[slot].values = message.values;
    events_.push(*held + state_delay_ns_, kLatePublication, slot);
  }
}

void Simulation::handle_late_publication(std::uint32_t slot) {
  const ValuesMessage& message = values_[slot];
  cluster_.on_publication_at(now_, message.domain, message.module, message.values);
  values_.release(slot);
}

bool Simulation::holds_batch_done(WorkerId worker, const WorkerState& state) {
  const std::optional<TimeNs> held = held_until(state.domain, LinkDirection::kUp);
  if (!held) return false;
  if (held == kNever) {
    cluster_.on_batch_unheard(now_, worker, state);
    return true;
  }
  const std::uint32_t slot = notices_.put();
  BatchNotice& notice = notices_[slot];
  notice.worker = worker;
  notice.ended_ns = now_;
  notice.state = state;
  events_.push(*held, kLateBatchDone, slot);
  return true;
}

void Simulation::handle_late_batch_done(std::uint32_t slot) {
  const BatchNotice& notice = notices_[slot];
  heard_from_ = notice.state.domain;  // the router hears of it with the same message
  cluster_.on_late_batch_done(now_, notice.worker, notice.state, notice.ended_ns);
  heard_from_ = kNone;
  notices_.release(slot);
}

void Simulation::acknowledge(ModuleId module, DomainId domain, int count) {
  if (links_are_faulty() && domain != heard_from_) [[unlikely]] {
    const std::optional<TimeNs> held = held_until(domain, LinkDirection::kUp);
    if (held == kNever) return;
    if (held) {
      const std::uint32_t slot = acknowledgements_.put();
      acknowledgements_[slot] = {module, domain, count};
      events_.push(*held + network_ns_, kAcknowledgement, slot);
      return;
    }
  }
  if (network_ns_ == 0) {
    cluster_.on_acknowledgement(module, domain, count);
    return;
  }
  const std::uint32_t slot = acknowledgements_.put();
  acknowledgements_[slot] = {module, domain, count};
  events_.push(now_ + network_ns_, kAcknowledgement, slot);
}

void Simulation::start_worker(WorkerId worker) {
  events_.push(now_ + ms_to_ns(spec_.world.cold_start_ms), kWorkerReady, worker);
}

}  // namespace

RunRecord simulate(const RunSpec& spec, RowSink* rows) { return Simulation(spec, rows).run(); }

}  // namespace harness
