#include "harness/sim/virtual_world.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "harness/core/bug_context.h"
#include "harness/core/cell_failed.h"
#include "harness/core/wording.h"
#include "harness/engine/accounting/prefetch.h"
#include "harness/engine/dispatch/initial_plan.h"

namespace harness {
namespace {

/// Returns the time at which a run must be over. Windows are recorded until then, which bounds their number;
/// a request that waits so long is hardly ever served.
TimeNs last_moment(TimeNs duration_ns) {
  constexpr TimeNs kDay = 24 * 3600 * kNsPerS;
  constexpr TimeNs kTimesTheLoad = 10;
  constexpr TimeNs kLatest = kNever / 4;
  if (duration_ns > kLatest / (kTimesTheLoad + 1)) return kLatest;
  return duration_ns + std::max(kDay, kTimesTheLoad * duration_ns);
}

}  // namespace

VirtualWorld::VirtualWorld(const RunSpec& spec, RowSink* rows)
    : spec_(spec),
      last_ns_(last_moment(spec.arrivals->duration_ns())),
      network_ns_(ms_to_ns(spec.world.network_delay_ms)),
      state_delay_ns_(ms_to_ns(spec.serving.state_delay_ms)),
      state_period_ns_(ms_to_ns(spec.serving.state_period_ms)),
      joins_end_(!spec.faults.empty() || spec.system->traits().preempts),
      workers_(spec, events_, {kBatchDone, kServer, kBatchPreempted}),
      timers_(events_, kTimer),
      faults_(spec.faults),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      accounting_(spec, tables_.visits, rows),
      queues_(spec, context_, *this, *this, tables_, accounting_),
      dispatcher_(spec, context_, *this, tables_, accounting_),
      arrivals_(spec.arrivals->restarted()) {
  const TimeNs cost_ns = ms_to_ns(spec.world.scheduler_cost_us * 1e-3);
  const double limit_ms = spec.world.scheduler_queue_limit_ms;
  if (spec.world.scheduler_cost == SchedulerCost::kFixed && cost_ns > 0)
    schedulers_.emplace(events_, kScheduler, cost_ns, limit_ms > 0 ? ms_to_ns(limit_ms) : kNever,
                        spec.measured_from_ns, spec.arrivals->duration_ns());
}

void VirtualWorld::start() {
  dispatcher_.start(now_);
  // Controllers publish just after the reports of the same period have reached them.
  if (dispatcher_.has_controllers()) events_.push(state_period_ns_ + state_delay_ns_ + 1, kStatePeriod, 0);
  await_planning();
  const std::vector<FaultChange>& changes = faults_.changes();
  for (std::uint32_t i = 0; i < changes.size(); ++i) events_.push(changes[i].at_ns, kFaultChange, i);
}

RunRecord VirtualWorld::run() {
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
      dispatcher_.on_request(now_, stream);
    } else {
      if (arrivals_.next_ns() == kNever && dispatcher_.live_requests() == 0) break;
      if (event_ns > last_ns_) [[unlikely]]
        give_up(event_ns);
      const Event event = events_.pop();
      now_ = event.at_ns;
      handle(event);
    }
    if (++handled >= next_report) {
      next_report = handled + kEventsBetweenReports;
      check_progress();
      report_progress();
    }
  }
  RunRecord record = close(handled);
  set_bug_context({});
  record.wall_s = std::chrono::duration<double>(Clock::now() - began).count();
  return record;
}

std::uint64_t VirtualWorld::progress() const {
  std::uint64_t count = 0;
  for (const ModuleTotals& totals : accounting_.record().modules) {
    count += totals.batches;
    for (const std::uint64_t dropped : totals.dropped) count += dropped;
  }
  return count;
}

RunRecord VirtualWorld::close(std::uint64_t events) {
  std::vector<WorkerTotals> totals;
  for (const WorkerState& worker : tables_.workers) totals.push_back(worker.totals);
  RunRecord record = accounting_.close(now_, events, std::move(totals));
  record.replay = queues_.take_replay();
  record.rerouted_visits = dispatcher_.rerouted_visits();
  if (schedulers_) record.scheduler_busy_ns = schedulers_->most_busy_ns();
  return record;
}

std::string VirtualWorld::waiting_text() const {
  return counted(dispatcher_.live_requests(), "request") + " still in the system after the load, and ";
}

void VirtualWorld::give_up(TimeNs event_ns) const {
  if (event_ns == kNever) throw CellFailed(waiting_text() + "nothing is due any more");
  const TimeNs after_ns = last_ns_ - spec_.arrivals->duration_ns();
  throw CellFailed(waiting_text() + "nothing is due within " + std::to_string(after_ns / kNsPerS) +
                   " s of its end");
}

void VirtualWorld::check_progress() {
  constexpr TimeNs kLongestStandstill = 3600 * kNsPerS;
  if (arrivals_.next_ns() != kNever || now_ < progress_check_ns_) return;
  const auto is_busy = [](const WorkerState& worker) { return !worker.running.empty(); };
  const bool runs = std::any_of(tables_.workers.begin(), tables_.workers.end(), is_busy);
  if (progress_check_ns_ != 0 && progress() == seen_progress_ && !runs)
    throw CellFailed(waiting_text() + "no batch has run for an hour of virtual time");
  seen_progress_ = progress();
  progress_check_ns_ = now_ + kLongestStandstill;
}

void VirtualWorld::handle(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case kBatchDone:
      if (prefetches()) prefetch_upcoming();
      if (workers_.takes_end(event.index, now_)) tell_of_end(Message::kBatchDone, event.index);
      break;
    case kBatchPreempted:
      if (workers_.takes_stop(event.index, now_)) tell_of_end(Message::kBatchPreempted, event.index);
      break;
    case kServer:
      for (const WorkerId worker : workers_.on_server(event.index, now_))
        tell_of_end(Message::kBatchDone, worker);
      break;
    case kDeliveries:
      handle_deliveries(event.index);
      break;
    case kCancellation:
      tell(tables_.visits[cancellations_[event.index].visit].queue, {Message::kCancellation, event.index});
      break;
    case kTimer:
      if (timers_.take(event.index, event.at_ns)) tell(event.index, {Message::kTimer, event.index});
      break;
    case kReport:
    case kPublication:
      handle_values(static_cast<EventKind>(event.kind), event.index);
      break;
    case kAcknowledgement: {
      const AcknowledgementMessage& message = acknowledgements_[event.index];
      dispatcher_.on_acknowledgement(message.module, message.queue, message.count);
      acknowledgements_.release(event.index);
      break;
    }
    case kWorkerReady:
      dispatcher_.on_worker_ready(now_, event.index);
      break;
    case kStatePeriod:
      dispatcher_.on_period(now_);
      events_.push(now_ + state_period_ns_, kStatePeriod, 0);
      break;
    case kPlanPeriod:
      handle_plan_period();
      break;
    case kPlanReady:
      dispatcher_.apply_plan(now_, next_plans_.front());
      next_plans_.pop_front();
      break;
    case kFaultChange: {
      const FaultChange change = faults_.changes()[event.index];
      dispatcher_.on_fault(now_, faults_.apply(change), change.begins);
      break;
    }
    case kLateBatchDone:
      handle_late_batch_done(event.index);
      break;
    case kLatePublication:
      tell(values_[event.index].queue, {Message::kPublication, event.index});
      break;
    case kScheduler:
      handle_scheduler(event.index);
      break;
  }
}

void VirtualWorld::tell(QueueId queue, SchedulerMessage message) {
  if (schedulers_ && queue != kNone) [[unlikely]] {
    schedulers_->put(now_, queue, message);
    return;
  }
  handle_message(queue, message);
}

void VirtualWorld::handle_message(QueueId queue, SchedulerMessage message) {
  switch (message.kind) {
    case Message::kBatchDone:
      queues_.on_batch_done(now_, message.index, tables_.workers[message.index].end_ns(now_));
      break;
    case Message::kBatchPreempted:
      queues_.on_batch_preempted(now_, message.index, tables_.workers[message.index].end_ns(now_));
      break;
    case Message::kArrival: {
      const Delivery delivery{message.index, queue};
      queues_.on_deliveries(now_, {&delivery, 1});
      break;
    }
    case Message::kCancellation:
      queues_.on_cancellation(now_, cancellations_[message.index]);
      cancellations_.release(message.index);
      break;
    case Message::kTimer:
      queues_.on_timer(now_, message.index);
      break;
    case Message::kPublication:
      handle_publication_at(message.index);
      break;
  }
}

void VirtualWorld::handle_scheduler(QueueId queue) {
  do {
    handle_message(queue, schedulers_->take(queue));
  } while (schedulers_->waits(queue) && !queues_.is_open(queue));
  schedulers_->serve_next(now_, queue);
}

void VirtualWorld::tell_of_end(Message kind, WorkerId worker) {
  if (!schedulers_) [[likely]] {
    handle_message(kNone, {kind, worker});
    return;
  }
  WorkerState& state = tables_.workers[worker];
  state.ended_ns = now_;
  if (state.life == WorkerState::Life::kGone) return;  // its queue does not hear of a lost worker's batch
  tell(state.queue, {kind, worker});
}

void VirtualWorld::arrive(std::span<const Delivery> deliveries) {
  if (prefetches()) queues_.prefetch(deliveries);
  if (!schedulers_) [[likely]] {
    queues_.on_deliveries(now_, deliveries);
    return;
  }
  for (const Delivery& delivery : deliveries) {
    if (enter_scheduler_queue(delivery)) tell(delivery.queue, {Message::kArrival, delivery.visit});
  }
}

bool VirtualWorld::enter_scheduler_queue(const Delivery& delivery) {
  const bool is_refused = schedulers_->is_full(now_, delivery.queue) && queues_.is_open(delivery.queue);
  accounting_.on_reached(now_, tables_.visits[delivery.visit]);
  if (is_refused) dispatcher_.on_visit_dropped(now_, delivery.visit, DropReason::kSchedulerQueueFull);
  return !is_refused;
}

void VirtualWorld::prefetch_upcoming() {
  // At best each step reads what the step before has fetched one event earlier.
  const auto upcoming = events_.look_ahead();
  if (upcoming[3].kind == kBatchDone) prefetch_object(&tables_.workers[upcoming[3].index]);
  if (upcoming[2].kind == kBatchDone) queues_.prefetch_batch(upcoming[2].index);
  if (upcoming[1].kind == kBatchDone) queues_.prefetch_visits(upcoming[1].index);
}

void VirtualWorld::handle_deliveries(std::uint32_t slot) {
  arrive(deliveries_[slot]);
  deliveries_.release(slot);
}

void VirtualWorld::handle_values(EventKind kind, std::uint32_t slot) {
  const ValuesMessage& message = values_[slot];
  if (kind == kReport) {
    dispatcher_.on_report(now_, message.module, message.queue, message.values);
  } else {
    tell_publication(message);
  }
  values_.release(slot);
}

void VirtualWorld::handle_plan_period() {
  std::vector<std::uint64_t> arrived;
  for (const ModuleTotals& totals : accounting_.record().modules) arrived.push_back(totals.arrived);
  next_plans_.push_back(dispatcher_.compute_plan(now_, dispatcher_.take_load(now_, arrived)));
  report_progress();  // a plan may take long
  events_.push(now_ + ms_to_ns(spec_.planner.plan_time_ms), kPlanReady, 0);
  await_planning();
}

void VirtualWorld::await_planning() {
  const TimeNs at_ns = dispatcher_.next_planning_ns(now_);
  if (at_ns != kNever) events_.push(at_ns, kPlanPeriod, 0);
}

void VirtualWorld::run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) {
  if (faults_.slows()) [[unlikely]] {
    workers_.run_batch_slowly(now_, worker, profile_ns, handover_ns,
                              faults_.factor(tables_.workers[worker].gpu));
    return;
  }
  workers_.run_batch(now_, worker, profile_ns, handover_ns);
}

void VirtualWorld::run_visit(const ServiceVisit& visit) { workers_.run_visit(now_, visit); }

void VirtualWorld::deliver(std::span<const Delivery> deliveries) {
  if (deliveries.empty()) return;
  if (links_may_be_faulty()) [[unlikely]] {
    deliver_over_faulty_links(deliveries);
    return;
  }
  if (network_ns_ == 0) {
    arrive(deliveries);
    return;
  }
  const std::uint32_t slot = deliveries_.put();
  deliveries_[slot].assign(deliveries.begin(), deliveries.end());
  events_.push(now_ + network_ns_, kDeliveries, slot);
}

void VirtualWorld::deliver_over_faulty_links(std::span<const Delivery> deliveries) {
  for (const Delivery delivery : deliveries) {
    const std::optional<TimeNs> held = held_until(delivery.queue, LinkDirection::kDown);
    if (held == kNever) {
      dispatcher_.on_delivery_lost(now_, delivery.visit);
    } else if (!held && network_ns_ == 0) {
      arrive({&delivery, 1});
    } else {
      const std::uint32_t slot = deliveries_.put();
      deliveries_[slot].assign(1, delivery);
      events_.push(held.value_or(now_) + network_ns_, kDeliveries, slot);
    }
  }
}

void VirtualWorld::cancel(const Cancellation& cancellation) {
  if (!joins_end_ && tables_.visits[cancellation.visit].state == VisitState::kForming) return;
  TimeNs sent_ns = now_;
  if (links_may_be_faulty()) [[unlikely]] {
    sent_ns = held_until(tables_.visits[cancellation.visit].queue, LinkDirection::kDown).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = cancellations_.put();
  cancellations_[slot] = cancellation;
  events_.push(sent_ns + network_ns_, kCancellation, slot);
}

void VirtualWorld::report(ModuleId module, QueueId queue, std::span<const double> values) {
  TimeNs sent_ns = now_;
  if (links_may_be_faulty()) [[unlikely]] {
    sent_ns = held_until(queue, LinkDirection::kUp).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].queue = queue;
  values_[slot].values.assign(values.begin(), values.end());
  events_.push(sent_ns + state_delay_ns_, kReport, slot);
}

void VirtualWorld::publish(ModuleId module, std::span<const double> state) {
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].values.assign(state.begin(), state.end());
  values_[slot].except.clear();
  if (links_may_be_faulty()) [[unlikely]] {
    publish_over_faulty_links(values_[slot]);
  }
  events_.push(now_ + state_delay_ns_, kPublication, slot);
}

void VirtualWorld::publish_over_faulty_links(ValuesMessage& message) {
  for (const QueueView& view : dispatcher_.open_queues(message.module)) {
    const std::optional<TimeNs> held = held_until(view.id, LinkDirection::kDown);
    if (!held) continue;
    message.except.push_back(view.id);
    if (held == kNever) continue;
    events_.push(*held + state_delay_ns_, kLatePublication, put_publication_at(view.id, message));
  }
}

std::uint32_t VirtualWorld::put_publication_at(QueueId queue, const ValuesMessage& message) {
  const std::uint32_t slot = values_.put();
  values_[slot].module = message.module;
  values_[slot].queue = queue;
  values_[slot].values = message.values;
  return slot;
}

void VirtualWorld::handle_publication_at(std::uint32_t slot) {
  const ValuesMessage& message = values_[slot];
  queues_.on_publication_at(now_, message.queue, message.module, message.values);
  values_.release(slot);
}

void VirtualWorld::tell_publication(const ValuesMessage& message) {
  if (!schedulers_) {
    queues_.on_publication(now_, message.module, message.values, message.except);
    dispatcher_.on_publication(now_, message.module, message.values);
    return;
  }
  for (const QueueView& view : dispatcher_.open_queues(message.module)) {
    if (std::find(message.except.begin(), message.except.end(), view.id) == message.except.end())
      tell(view.id, {Message::kPublication, put_publication_at(view.id, message)});
  }
  dispatcher_.on_publication(now_, message.module, message.values);
}

bool VirtualWorld::holds_batch_done(WorkerId worker, const WorkerState& state) {
  const std::optional<TimeNs> held = held_until(state.queue, LinkDirection::kUp);
  if (!held) return false;
  if (held == kNever) {
    dispatcher_.on_batch_unheard(now_, worker, state);
    return true;
  }
  const std::uint32_t slot = notices_.put();
  BatchNotice& notice = notices_[slot];
  notice.worker = worker;
  notice.ended_ns = state.end_ns(now_);
  notice.state = state;
  events_.push(*held, kLateBatchDone, slot);
  return true;
}

void VirtualWorld::handle_late_batch_done(std::uint32_t slot) {
  const BatchNotice& notice = notices_[slot];
  heard_from_ = notice.state.queue;  // the same message acknowledges the visits to the router
  dispatcher_.on_late_batch_done(now_, notice.worker, notice.state, notice.ended_ns);
  heard_from_ = kNone;
  notices_.release(slot);
}

void VirtualWorld::acknowledge(ModuleId module, QueueId queue, int count) {
  if (links_may_be_faulty() && queue != heard_from_) [[unlikely]] {
    const std::optional<TimeNs> held = held_until(queue, LinkDirection::kUp);
    if (held == kNever) return;
    if (held) {
      const std::uint32_t slot = acknowledgements_.put();
      acknowledgements_[slot] = {module, queue, count};
      events_.push(*held + network_ns_, kAcknowledgement, slot);
      return;
    }
  }
  if (network_ns_ == 0) {
    dispatcher_.on_acknowledgement(module, queue, count);
    return;
  }
  const std::uint32_t slot = acknowledgements_.put();
  acknowledgements_[slot] = {module, queue, count};
  events_.push(now_ + network_ns_, kAcknowledgement, slot);
}

void VirtualWorld::wake_at(QueueId queue, TimeNs at_ns) { timers_.wake_at(queue, at_ns); }

void VirtualWorld::start_worker(WorkerId worker, TimeNs cold_start_ns) {
  events_.push(now_ + cold_start_ns, kWorkerReady, worker);
}

}  // namespace harness
