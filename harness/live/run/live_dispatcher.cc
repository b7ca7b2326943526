#include "harness/live/run/live_dispatcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/wording.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/live/protocol/live_event.h"

namespace harness {
namespace {

/// The time that the controllers wait after the end of a period before they publish: reports leave at the end
/// of a period and need as long to arrive even on a busy machine.
constexpr TimeNs kReportTime = 10 * kNsPerMs;

}  // namespace

LiveDispatcher::LiveDispatcher(const RunSpec& spec, const Layout& layout, bool payload, MessageWriter& out,
                               EventQueue& events, RowSink* rows, std::function<void()> wake)
    : spec_(spec),
      layout_(layout),
      out_(out),
      events_(events),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      accounting_(spec, tables_.visits, rows),
      dispatcher_(spec, context_, *this, tables_, accounting_),
      generator_(spec.arrivals->restarted()),
      faults_(spec.faults),
      held_(out, events, kLiveOrder, layout.ranks()),
      delivered_(spec.pipeline.modules.size(), 0) {
  if (wake && dispatcher_.next_planning_ns(0) != kNever) plan_thread_.emplace(std::move(wake));
  if (!payload) return;
  tensors_.emplace(spec.pipeline, spec.seed);
  tensor_registry_.emplace(layout.ranks());
}

void LiveDispatcher::start() {
  dispatcher_.start(0);
  if (dispatcher_.has_controllers())
    events_.push(ms_to_ns(spec_.serving.state_period_ms) + kReportTime, kLiveStatePeriod, 0);
  await_planning(0);
  const std::vector<FaultChange>& changes = faults_.changes();
  for (std::uint32_t i = 0; i < changes.size(); ++i) events_.push(changes[i].at_ns, kLiveFault, i);
}

bool LiveDispatcher::send_due(TimeNs now) {
  LoadGenerator::DueRequest due;
  if (!generator_.take(now, due)) return false;
  now_ = now;
  dispatcher_.on_request(due.scheduled_ns, due.stream, due.schedule_lag_ns);
  return true;
}

bool LiveDispatcher::handle(TimeNs now, const Event& event) {
  now_ = now;
  switch (event.kind) {
    case kLiveStatePeriod:
      dispatcher_.on_period(now);
      events_.push(event.at_ns + ms_to_ns(spec_.serving.state_period_ms), kLiveStatePeriod, 0);
      return true;
    case kLivePlanPeriod:
      plan_period(now);
      await_planning(event.at_ns);
      return true;
    case kLivePlanReady:
      apply_due_plans(now);
      return true;
    case kLiveFault:
      take_fault(now, event.index);
      return true;
    case kLiveOrder:
      held_.release(event.index);
      return true;
    case kLiveAcknowledgement: {
      const Acknowledgement& one = acknowledgements_[event.index];
      dispatcher_.on_acknowledgement(one.module, one.queue, one.count);
      acknowledgements_.release(event.index);
      return true;
    }
    default:
      return false;
  }
}

void LiveDispatcher::take_fault(TimeNs now, std::size_t index) {
  const FaultChange change = faults_.changes()[index];
  dispatcher_.on_fault(now, faults_.apply(change), change.begins);
}

void LiveDispatcher::await_planning(TimeNs last_ns) {
  const TimeNs at_ns = dispatcher_.next_planning_ns(last_ns);
  if (at_ns != kNever) events_.push(at_ns, kLivePlanPeriod, 0);
}

void LiveDispatcher::plan_period(TimeNs now) {
  std::vector<std::uint64_t> arrived = delivered_;  // plus the visits that never reached a queue, added below
  for (std::size_t m = 0; m < arrived.size(); ++m) arrived[m] += accounting_.record().modules[m].arrived;
  LoadStatistics load = dispatcher_.take_load(now, arrived);
  plans_due_ns_.push_back(now + ms_to_ns(spec_.planner.plan_time_ms));
  events_.push(plans_due_ns_.back(), kLivePlanReady, 0);
  if (plan_thread_) {
    plan_thread_->post([this, now, load = std::move(load)] { return dispatcher_.compute_plan(now, load); });
  } else {
    next_plans_.push_back(dispatcher_.compute_plan(now, load));
  }
}

bool LiveDispatcher::take_plans(TimeNs now) {
  if (!plan_thread_) return false;
  while (std::optional<Plan> plan = plan_thread_->take()) next_plans_.push_back(std::move(*plan));
  return apply_due_plans(now);
}

bool LiveDispatcher::apply_due_plans(TimeNs now) {
  bool any = false;
  for (; !next_plans_.empty() && plans_due_ns_.front() <= now; any = true) {
    now_ = now;
    dispatcher_.apply_plan(now, next_plans_.front());
    next_plans_.pop_front();
    plans_due_ns_.pop_front();
  }
  return any;
}

bool LiveDispatcher::take(TimeNs now, Message& message) {
  now_ = now;
  switch (message.kind()) {
    case MessageKind::kBatchDone:
    case MessageKind::kBatchLost:
    case MessageKind::kBatchUnheard:
      take_batch(now, message);
      return true;
    case MessageKind::kBatchPreempted:
      take_preempted(message.read<BatchMessage>());
      return true;
    case MessageKind::kDropped:
    case MessageKind::kCancelled:
    case MessageKind::kReturned:
      take_visit(message.kind(), now, message.read<VisitMessage>());
      return true;
    case MessageKind::kWorkerReady:
      dispatcher_.on_worker_ready(now, message.read<WorkerMessage>().worker);
      return true;
    case MessageKind::kWorkerGone:
      take_gone(now, message.read<WorkerMessage>().worker);
      return true;
    case MessageKind::kReport: {
      const auto report = message.read<ValuesMessage>();
      message.read_all(values_);
      dispatcher_.on_report(now, report.module, report.queue, values_);
      return true;
    }
    case MessageKind::kExchange: {
      const auto state = message.read<ValuesMessage>();
      message.read_all(values_);
      dispatcher_.on_publication(now, state.module, values_);
      return true;
    }
    default:
      return false;
  }
}

bool LiveDispatcher::is_live(VisitId visit, RequestId request, std::uint16_t index) const {
  if (visit >= tables_.visits.slots()) return false;
  const VisitRecord& record = tables_.visits[visit];
  return record.live && record.visit.request == request && record.index == index;
}

void LiveDispatcher::take_batch(TimeNs now, Message& message) {
  const auto batch = message.read<BatchMessage>();
  message.read_all(entries_);
  if (batch.worker >= tables_.workers.size()) return;
  tables_.workers[batch.worker].module = batch.module;
  if (tensor_registry_) note_tensors(message.kind(), batch.worker);
  WorkerState& state = tables_.workers[batch.worker];
  state.running.clear();
  for (const BatchEntry& entry : entries_) {
    if (!is_live(entry.visit, entry.request, entry.index)) continue;
    state.running.push_back({entry.visit, entry.arrived_ns, entry.joined_ns});
    tables_.visits[entry.visit].visit.arrived_ns = entry.arrived_ns;
  }
  if (!state.running.empty()) tell_end(now, message.kind(), batch, state);
  for (const BatchEntry& entry : entries_) sweep_tensors(entry.request);
  release_tensors();
}

void LiveDispatcher::tell_end(TimeNs now, MessageKind kind, const BatchMessage& batch, WorkerState& state) {
  ++progress_;
  last_end_ns_ = std::max(last_end_ns_, batch.ended_ns);
  state.started_ns = batch.started_ns;
  state.service_gpu_ns = batch.service_gpu_ns;
  told_by_ = state.queue;
  told_ns_ = batch.told_ns;
  if (kind == MessageKind::kBatchLost) {
    dispatcher_.on_batch_lost(batch.ended_ns, batch.worker, state);
  } else if (kind == MessageKind::kBatchUnheard) {
    dispatcher_.on_batch_unheard(batch.ended_ns, batch.worker, state);
  } else if (batch.held != 0) {
    dispatcher_.on_late_batch_done(now, batch.worker, state, batch.ended_ns);
  } else {
    dispatcher_.on_batch_done(batch.ended_ns, batch.worker, state);  // the notice's own way is nobody's delay
  }
  told_by_ = kNone;
}

void LiveDispatcher::take_preempted(const BatchMessage& batch) {
  if (batch.worker >= tables_.workers.size()) return;
  WorkerState& state = tables_.workers[batch.worker];
  if (batch.preempted <= state.preempted) return;  // it came before
  state.preempted = batch.preempted;
  ++progress_;
  state.module = batch.module;
  state.started_ns = batch.started_ns;
  state.service_gpu_ns = kNever;
  dispatcher_.on_batch_preempted(batch.ended_ns, batch.worker, state);
}

void LiveDispatcher::take_visit(MessageKind kind, TimeNs now, const VisitMessage& message) {
  if (!is_live(message.visit, message.request, message.index)) return;
  if (tables_.visits[message.visit].queue != message.queue) return;  // it has been sent elsewhere since
  if (kind != MessageKind::kReturned) ++progress_;
  last_end_ns_ = std::max(last_end_ns_, message.at_ns);
  VisitRecord& record = tables_.visits[message.visit];
  record.counted = message.counted != 0;
  if (!record.counted) --delivered_[record.visit.module];  // it has arrived nowhere
  record.visit.arrived_ns = message.arrived_ns;
  told_by_ = record.queue;
  told_ns_ = message.told_ns;
  if (kind == MessageKind::kDropped) {
    dispatcher_.on_visit_dropped(message.at_ns, message.visit, message.reason);
  } else if (kind == MessageKind::kReturned && !record.cancelled) {
    dispatcher_.on_visits_returned(now, record.visit.module, {&message.visit, 1});
  } else {
    accounting_.on_reached(now, record);
    dispatcher_.on_visit_cancelled(message.at_ns, message.visit);
  }
  told_by_ = kNone;
  sweep_tensors(message.request);
  release_tensors();
}

void LiveDispatcher::take_gone(TimeNs now, WorkerId worker) {
  if (worker >= tables_.workers.size()) return;
  if (tables_.workers[worker].life == WorkerState::Life::kDraining) dispatcher_.on_worker_gone(now, worker);
}

std::optional<TimeNs> LiveDispatcher::held_until(QueueId queue) {
  std::optional<TimeNs> held;
  if (links_may_be_faulty()) held = faults_.held_until(now_, dispatcher_.gpu_of(queue), LinkDirection::kDown);
  if (!held && held_.any(queue_rank_[queue])) return now_;  // behind messages that are due but not sent
  return held;
}

void LiveDispatcher::send_at(std::optional<TimeNs> held, QueueId queue, std::span<const std::byte> message,
                             std::span<const std::byte> rest) {
  if (held) {
    held_.hold(*held, queue_rank_[queue], message, rest);
  } else {
    out_.send_composed(queue_rank_[queue], message, rest);
  }
}

void LiveDispatcher::deliver(std::span<const Delivery> deliveries) {
  for (const Delivery delivery : deliveries) deliver_one(delivery);
}

void LiveDispatcher::deliver_one(const Delivery& delivery) {
  const VisitRecord& record = tables_.visits[delivery.visit];
  if (record.cancelled) {  // a sibling's delivery was lost just now
    if (!record.counted) accounting_.on_arrived(now_, record.visit);
    dispatcher_.on_visit_cancelled(now_, delivery.visit);
    return;
  }
  const std::optional<TimeNs> held = held_until(delivery.queue);
  if (held == kNever) {
    dispatcher_.on_delivery_lost(now_, delivery.visit);
    return;
  }
  DeliverMessage message;
  message.visit = record.visit;
  message.sent_ns = now_;
  message.queue = delivery.queue;
  message.index = record.index;
  message.parent = record.parent;
  message.counted = record.counted ? 1 : 0;
  if (!record.counted) ++delivered_[record.visit.module];
  const std::span<const std::byte> tensor = add_tensor(record, message);
  send_at(held, delivery.queue, out_.compose(MessageKind::kDeliver, message), tensor);
}

std::span<const std::byte> LiveDispatcher::add_tensor(const VisitRecord& record, DeliverMessage& message) {
  const Module& module = spec_.pipeline.modules[record.visit.module];
  if (!tensor_registry_ || module.input_bytes == 0) return {};
  if (module.pres.empty()) {
    constexpr int kOwnRank = 0;
    if (queue_rank_[record.queue] != kOwnRank)
      return tensors_->input(record.visit.module, record.visit.request).span();
    message.source = kClientTensor;
    message.source_rank = kOwnRank;
    return {};
  }
  const TensorRegistry::Entry* const source = tensor_registry_->source(record.visit.request, module.pres);
  HARNESS_CHECK(source != nullptr, "the tensor of a visit is kept nowhere");
  message.source = source->first.index;
  message.source_rank = static_cast<std::uint32_t>(source->second.rank);
  return {};
}

int LiveDispatcher::rank_of_batches(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  const bool on_its_gpu = spec_.profiles[state.module].service == Service::kBatch;
  return on_its_gpu ? rank_of_worker(worker) : queue_rank_[state.queue];
}

void LiveDispatcher::note_tensors(MessageKind kind, WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  const int rank = rank_of_batches(worker);
  const bool is_guest = rank != queue_rank_[state.queue];
  for (const BatchEntry& entry : entries_) {
    const TensorKey key{entry.request, entry.index};
    if (kind == MessageKind::kBatchLost) {
      if (is_guest) tensor_registry_->let_go(rank, key, true);
    } else if (tensors_->output_bytes(state.module) > 0 && !tensor_registry_->has(key)) {
      if (is_live(entry.visit, entry.request, entry.index)) {
        const std::uint32_t slot = tables_.visits[entry.visit].request_slot;
        tensor_registry_->add(key, {rank, state.module, entry.visit, slot});
      } else {
        tensor_registry_->let_go(rank, key);
      }
    }
  }
}

bool LiveDispatcher::is_needed(const TensorRegistry::Entry& entry) const {
  const auto& [key, made] = entry;
  if (spec_.pipeline.is_chain())
    return is_live(made.visit, key.request, static_cast<std::uint16_t>(key.index + 1));
  for (const ModuleId sub : spec_.pipeline.modules[made.module].subs) {
    const VisitId visit = dispatcher_.visit_at(made.request_slot, sub);
    if (visit != kNone && tables_.visits[visit].visit.request == key.request) return true;
  }
  return false;
}

void LiveDispatcher::sweep_tensors(RequestId request) {
  if (tensor_registry_)
    tensor_registry_->sweep(request, [this](const TensorRegistry::Entry& entry) { return is_needed(entry); });
}

void LiveDispatcher::cancel(const Cancellation& cancellation) {
  VisitRecord& record = tables_.visits[cancellation.visit];
  const std::optional<TimeNs> held = held_until(record.queue);
  if (held == kNever) return;
  record.cancelled = true;
  VisitMessage message;
  message.at_ns = now_;
  message.request = cancellation.request;
  message.visit = cancellation.visit;
  message.index = cancellation.index;
  send_at(held, record.queue, out_.compose(MessageKind::kCancel, message));
}

void LiveDispatcher::acknowledge(ModuleId module, QueueId queue, int count) {
  const TimeNs at_ns = queue == told_by_ ? told_ns_ : 0;
  if (at_ns <= now_) {
    dispatcher_.on_acknowledgement(module, queue, count);
  } else if (at_ns != kNever) {
    const std::uint32_t slot = acknowledgements_.put();
    acknowledgements_[slot] = {module, queue, count};
    events_.push(at_ns, kLiveAcknowledgement, slot);
  }
}

void LiveDispatcher::publish(ModuleId module, std::span<const double> state) {
  const ValuesMessage message{kNone, module, 0};
  out_.send(0, MessageKind::kExchange, message, state);
  if (links_may_be_faulty()) {
    publish_over_faulty_links(module, state);
    return;
  }
  std::vector<bool> to(static_cast<std::size_t>(layout_.ranks()), false);
  for (const QueueView& view : dispatcher_.open_queues(module))
    to[static_cast<std::size_t>(queue_rank_[view.id])] = true;
  for (std::size_t rank = 0; rank < to.size(); ++rank) {
    if (to[rank]) out_.send(static_cast<int>(rank), MessageKind::kPublish, message, state);
  }
}

void LiveDispatcher::publish_over_faulty_links(ModuleId module, std::span<const double> state) {
  for (const QueueView& view : dispatcher_.open_queues(module)) {
    const std::optional<TimeNs> held = held_until(view.id);
    if (held == kNever) continue;
    send_at(held, view.id, out_.compose(MessageKind::kPublish, ValuesMessage{view.id, module, 0}, state));
  }
}

WorkerMessage LiveDispatcher::message_of(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  WorkerMessage message;
  message.worker = worker;
  message.queue = state.queue;
  message.slot = state.slot;
  message.gpu = state.gpu;
  message.group = state.group;
  return message;
}

void LiveDispatcher::start_worker(WorkerId worker, TimeNs cold_start_ns) {
  WorkerMessage message = message_of(worker);
  message.cold_start_ns = cold_start_ns;
  out_.send(rank_of_worker(worker), MessageKind::kStartWorker, message);
}

void LiveDispatcher::set_plan(TimeNs, const Plan& plan) {
  const std::vector<std::byte> bytes = packed(plan);
  for (int rank = layout_.ranks() == 1 ? 0 : 1; rank < layout_.ranks(); ++rank)
    out_.send(rank, MessageKind::kSetPlan, NoContents{}, std::span<const std::byte>(bytes));
}

void LiveDispatcher::open_queue(TimeNs, QueueId queue, GroupId group, std::uint32_t gpu) {
  if (queue_rank_.size() <= queue) queue_rank_.resize(queue + 1, 0);
  queue_rank_[queue] = layout_.rank_of(static_cast<int>(gpu));
  out_.send(queue_rank_[queue], MessageKind::kOpenQueue,
            QueueMessage{queue, gpu, group, 0,
                         dispatcher_.counts_outstanding(group) ? std::uint8_t{1} : std::uint8_t{0}});
}

void LiveDispatcher::add_worker(TimeNs now, QueueId queue, WorkerId worker) {
  tables_.workers[worker].totals.ready_ns = now;
  out_.send(queue_rank_[queue], MessageKind::kAddWorker, message_of(worker));
}

void LiveDispatcher::drain_worker(TimeNs, WorkerId worker, bool closes) {
  WorkerMessage message = message_of(worker);
  message.closes = closes ? 1 : 0;
  out_.send(queue_rank_[message.queue], MessageKind::kDrainWorker, message);
}

void LiveDispatcher::lose_workers(TimeNs, QueueId queue, std::span<const WorkerId> workers, bool closes) {
  QueueMessage message;
  message.queue = queue;
  message.closes = closes ? 1 : 0;
  out_.send(queue_rank_[queue], MessageKind::kLoseWorkers, message, workers);
}

RunRecord LiveDispatcher::close(std::uint64_t events) {
  const std::uint64_t astray = accounting_.settle_arrivals();
  std::vector<WorkerTotals> totals;
  for (const WorkerState& worker : tables_.workers) totals.push_back(worker.totals);
  RunRecord record = accounting_.close(last_end_ns_, events, std::move(totals));
  record.rerouted_visits = dispatcher_.rerouted_visits();
  record.schedule_lag = generator_.schedule_lag();
  if (astray > 0) {
    record.why_invalid = "messages were lost or repeated: the arrival and the end of " +
                         std::to_string(astray) + " visits do not agree";
  }
  return record;
}

}  // namespace harness
