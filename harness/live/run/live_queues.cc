#include "harness/live/run/live_queues.h"

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/live/protocol/live_event.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

constexpr RequestId kNoRequest = ~RequestId{0};

}  // namespace

LiveQueues::LiveQueues(const RunSpec& spec, const Layout& layout, int rank, bool payload, MessageWriter& out,
                       EventQueue& events, DeviceWorkers* devices, DeviceExchanges* exchanges)
    : spec_(spec),
      out_(out),
      events_(events),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      accounting_(spec, tables_.visits, nullptr),
      faults_(spec.faults),
      held_(out, events, kLiveNotice, layout.ranks()),
      runner_(spec, layout, rank, payload, out, events, {tables_, queues_, faults_, now_}, devices,
              exchanges),
      queues_(spec, context_, runner_, *this, tables_, accounting_) {
  queues_.start_on_time();
  if (devices != nullptr) queues_.tell_joins();
  const std::vector<FaultChange>& changes = faults_.changes();
  for (std::uint32_t i = 0; i < changes.size(); ++i) events_.push(changes[i].at_ns, kLiveQueueFault, i);
}

bool LiveQueues::take(TimeNs now, int from, Message& message) {
  now_ = now;
  switch (message.kind()) {
    case MessageKind::kSetPlan:
      take_plan(message);
      return true;
    case MessageKind::kOpenQueue:
      open_queue(message.read<QueueMessage>());
      return true;
    case MessageKind::kStartWorker: {
      const auto start = message.read<WorkerMessage>();
      events_.push(now_ + start.cold_start_ns, kLiveColdStart, start.worker);
      return true;
    }
    case MessageKind::kAddWorker:
      add_worker(message.read<WorkerMessage>());
      return true;
    case MessageKind::kDrainWorker:
      drain_worker(message.read<WorkerMessage>());
      return true;
    case MessageKind::kLoseWorkers:
      lose_workers(message);
      return true;
    case MessageKind::kDeliver:
      take_delivery(message);
      return true;
    case MessageKind::kCancel:
      take_cancellation(message);
      return true;
    case MessageKind::kPublish:
      take_state(message);
      return true;
    default:
      return runner_.take(from, message);
  }
}

bool LiveQueues::take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time) {
  now_ = now;
  return runner_.take_batches(run_time);
}

bool LiveQueues::take_transfers(TimeNs now) {
  now_ = now;
  return runner_.take_transfers();
}

bool LiveQueues::handle(TimeNs now, const Event& event) {
  now_ = now;
  switch (event.kind) {
    case kLiveColdStart: {
      WorkerMessage ready;
      ready.worker = event.index;
      out_.send(0, MessageKind::kWorkerReady, ready);
      return true;
    }
    case kLiveQueueFault:
      faults_.apply(faults_.changes()[event.index]);
      return true;
    case kLiveNotice:
      held_.release(event.index);
      return true;
    default:
      return runner_.handle(event);
  }
}

bool LiveQueues::is_here(WorkerId worker) const {
  return worker < tables_.workers.size() && tables_.workers[worker].queue != kNone;
}

void LiveQueues::take_plan(Message& message) {
  const Plan plan = unpacked<Plan>(message.rest());
  if (!suits(plan, spec_.pipeline.modules.size())) throw EnvironmentError("a plan from rank 0 is damaged");
  queues_.set_plan(now_, plan);
}

void LiveQueues::open_queue(const QueueMessage& message) {
  if (place_of(message.queue).gpu != kNone) return;
  if (message.group >= queues_.plan().group_count()) return;  // its plan was lost
  if (places_.size() <= message.queue) places_.resize(message.queue + 1);
  places_[message.queue] = {message.gpu, message.acknowledges != 0};
  queues_.open_queue(now_, message.queue, message.group);
}

void LiveQueues::add_worker(const WorkerMessage& message) {
  if (place_of(message.queue).gpu == kNone || is_here(message.worker)) return;
  if (tables_.workers.size() <= message.worker) tables_.workers.resize(message.worker + 1);
  WorkerState& state = tables_.workers[message.worker];
  state.group = message.group;
  state.module = queues_.plan().served_by(message.group).front();
  state.slot = message.slot;
  state.gpu = message.gpu;
  queues_.add_worker(now_, message.queue, message.worker);
}

void LiveQueues::drain_worker(const WorkerMessage& message) {
  if (!is_here(message.worker)) return;
  if (tables_.workers[message.worker].life != WorkerState::Life::kServing) return;
  queues_.drain_worker(now_, message.worker, message.closes != 0);
}

void LiveQueues::lose_workers(Message& message) {
  const auto queue = message.read<QueueMessage>();
  std::vector<WorkerId> workers;
  message.read_all(workers);
  std::erase_if(workers, [this](WorkerId worker) { return !is_here(worker); });
  queues_.lose_workers(now_, queue.queue, workers, queue.closes != 0);
}

void LiveQueues::take_delivery(Message& message) {
  const auto delivery = message.read<DeliverMessage>();
  const VisitId visit = delivery.visit.id;
  while (tables_.visits.slots() <= visit) {
    tables_.visits.extend_to(tables_.visits.slots());
    tables_.visits[tables_.visits.slots() - 1].visit.request = kNoRequest;
  }
  VisitRecord& record = tables_.visits[visit];
  if (record.visit.request == delivery.visit.request && record.index == delivery.index)
    return;  // it came before
  record = {};
  record.visit = delivery.visit;
  record.index = delivery.index;
  record.parent = delivery.parent;
  record.counted = delivery.counted != 0;
  record.queue = delivery.queue;
  record.live = true;
  runner_.on_delivery(delivery, message.rest(), place_of(delivery.queue).gpu);
  delivery_delay_.add(now_ - delivery.sent_ns);
  const Delivery arrived{visit, delivery.queue};
  queues_.on_deliveries(now_, {&arrived, 1});
}

void LiveQueues::take_cancellation(Message& message) {
  const auto cancelled = message.read<VisitMessage>();
  if (cancelled.visit >= tables_.visits.slots() || !tables_.visits[cancelled.visit].live) return;
  queues_.on_cancellation(now_, {cancelled.visit, cancelled.request, cancelled.index});
}

void LiveQueues::take_state(Message& message) {
  const auto state = message.read<ValuesMessage>();
  message.read_all(values_);
  if (state.queue == kNone) {
    queues_.on_publication(now_, state.module, values_, {});
  } else {
    queues_.on_publication_at(now_, state.queue, state.module, values_);
  }
}

std::optional<TimeNs> LiveQueues::held_until(QueueId queue) {
  std::optional<TimeNs> held;
  if (now_ <= faults_.links_until_ns())
    held = faults_.held_until(now_, place_of(queue).gpu, LinkDirection::kUp);
  if (!held && held_.any(0)) return now_;  // behind messages that are due but not sent
  return held;
}

void LiveQueues::report(ModuleId module, QueueId queue, std::span<const double> values) {
  const ValuesMessage message{queue, module, 0};
  const std::optional<TimeNs> held = held_until(queue);
  if (!held) {
    out_.send(0, MessageKind::kReport, message, values);
  } else if (*held != kNever) {
    held_.hold(*held, 0, out_.compose(MessageKind::kReport, message, values));
  }
}

void LiveQueues::batch_done(TimeNs now, WorkerId worker, const WorkerState& state) {
  send_batch(MessageKind::kBatchDone, now, worker, state);
  runner_.on_batch_done(worker, state);
}

void LiveQueues::batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) {
  BatchMessage batch;
  batch.started_ns = state.started_ns;
  batch.ended_ns = now;
  batch.worker = worker;
  batch.module = state.module;
  batch.preempted = ++tables_.workers[worker].preempted;
  out_.send(0, MessageKind::kBatchPreempted, batch);
  runner_.on_batch_preempted(worker);
}

void LiveQueues::batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) {
  send_batch(MessageKind::kBatchLost, now, worker, state);
  runner_.on_batch_lost(worker, state);
}

void LiveQueues::send_batch(MessageKind kind, TimeNs ended_ns, WorkerId worker, const WorkerState& state) {
  BatchMessage batch;
  batch.started_ns = state.started_ns;
  batch.ended_ns = ended_ns;
  batch.service_gpu_ns = state.service_gpu_ns;
  batch.worker = worker;
  batch.module = state.module;
  entries_.clear();
  for (const BatchVisit& member : state.running) {
    VisitRecord& record = tables_.visits[member.id];
    entries_.push_back(
        {record.visit.request, member.arrived_ns, member.joined_ns, member.id, record.index, 0});
    record.live = false;
  }
  const std::span<const BatchEntry> entries(entries_);
  const bool lost = kind == MessageKind::kBatchLost;
  const std::optional<TimeNs> held = lost ? acknowledged_at(state.queue) : held_until(state.queue);
  if (lost || held == kNever) {  // only the accounting learns of it
    batch.told_ns = held.value_or(0);
    out_.send(0, lost ? kind : MessageKind::kBatchUnheard, batch, entries);
  } else if (held) {
    batch.held = 1;
    held_.hold(*held, 0, out_.compose(kind, batch, entries));
  } else {
    out_.send(0, kind, batch, entries);
  }
}

void LiveQueues::tell(MessageKind kind, TimeNs at_ns, VisitId visit, DropReason reason) {
  VisitRecord& record = tables_.visits[visit];
  VisitMessage message;
  message.at_ns = at_ns;
  message.request = record.visit.request;
  message.arrived_ns = record.visit.arrived_ns;
  message.visit = visit;
  message.queue = record.queue;
  message.index = record.index;
  message.counted = record.counted ? 1 : 0;
  message.reason = reason;
  message.told_ns = acknowledged_at(record.queue).value_or(0);
  out_.send(0, kind, message);
  record.live = false;
  record.state = VisitState::kTravelling;
  runner_.on_visit_left(visit);
}

void LiveQueues::visit_dropped(TimeNs now, VisitId visit, DropReason reason) {
  tell(MessageKind::kDropped, now, visit, reason);
}

void LiveQueues::visit_cancelled(TimeNs now, VisitId visit) {
  tell(MessageKind::kCancelled, now, visit, DropReason::kExpired);
}

void LiveQueues::visits_returned(TimeNs now, ModuleId, std::span<const VisitId> visits) {
  for (const VisitId visit : visits) {
    tell(MessageKind::kReturned, now, visit, DropReason::kExpired);
    tables_.visits[visit].visit.request = kNoRequest;  // it may come here again
  }
}

void LiveQueues::worker_gone(TimeNs, WorkerId worker) {
  WorkerMessage gone;
  gone.worker = worker;
  out_.send(0, MessageKind::kWorkerGone, gone);
}

}  // namespace harness
