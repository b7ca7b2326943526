#include "harness/live/live_domains.h"

#include <algorithm>
#include <utility>

#include "harness/engine/dispatcher.h"

namespace harness {
namespace {

constexpr RequestId kNoRequest = ~RequestId{0};

}  // namespace

LiveDomains::LiveDomains(const RunSpec& spec, const Layout& layout, int rank, bool payload,
                         MessageWriter& out, EventQueue& events, DeviceWorkers* devices)
    : spec_(spec),
      layout_(layout),
      rank_(rank),
      payload_(payload),
      out_(out),
      events_(events),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      books_(spec.pipeline, spec.arrivals->duration_ns(), spec.slo_ns, nullptr),
      workers_(spec, events, kLiveBatchDone, kLiveServer),
      timers_(events, kLiveTimer),
      group_(spec, context_, *this, *this, tables_, books_),
      faults_(spec.faults),
      held_(out, events, kLiveNotice, layout.ranks()),
      devices_(devices) {
  const std::vector<FaultChange>& changes = faults_.changes();
  for (std::uint32_t i = 0; i < changes.size(); ++i) events_.push(changes[i].at_ns, kLiveDomainFault, i);
}

LiveDomains::~LiveDomains() {
  if (devices_ != nullptr) devices_->keep(std::move(inputs_));
}

bool LiveDomains::take(TimeNs now, int from, MessageReader& message) {
  now_ = now;
  switch (message.kind()) {
    case MessageKind::kSetPlan:
      take_plan(message);
      return true;
    case MessageKind::kOpenDomain:
      open_domain(message.read<DomainMessage>());
      return true;
    case MessageKind::kStartWorker:
      events_.push(now_ + ms_to_ns(spec_.world.cold_start_ms), kLiveColdStart,
                   message.read<WorkerMessage>().worker);
      return true;
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
    case MessageKind::kRunBatch:
      take_run(from, message);
      return true;
    case MessageKind::kBatchEnded:
      take_end(message);
      return true;
    default:
      return false;
  }
}

bool LiveDomains::handle(TimeNs now, const Event& event) {
  now_ = now;
  switch (event.kind) {
    case kLiveBatchDone:
      batch_event(event.index, event.at_ns);
      return true;
    case kLiveServer:
      for (const WorkerId worker : workers_.on_server(event.index, event.at_ns))
        batch_event(worker, event.at_ns);
      return true;
    case kLiveTimer:
      if (timers_.take(event.index, event.at_ns)) group_.on_timer(now_, event.index);
      return true;
    case kLiveColdStart: {
      WorkerMessage ready;
      ready.worker = event.index;
      out_.send(0, MessageKind::kWorkerReady, ready);
      return true;
    }
    case kLiveDomainFault:
      faults_.apply(faults_.changes()[event.index]);
      return true;
    case kLiveNotice:
      held_.release(event.index);
      return true;
    default:
      return false;
  }
}

bool LiveDomains::is_here(WorkerId worker) const {
  return worker < tables_.workers.size() && tables_.workers[worker].domain != kNone;
}

void LiveDomains::take_plan(MessageReader& message) {
  Plan plan;
  message.read_all(plan.modules);
  if (plan.modules.size() == spec_.pipeline.modules.size()) group_.set_plan(now_, plan);
}

void LiveDomains::open_domain(const DomainMessage& message) {
  if (gpu_of_.size() <= message.domain) gpu_of_.resize(message.domain + 1, kNone);
  if (gpu_of_[message.domain] != kNone) return;
  gpu_of_[message.domain] = message.gpu;
  group_.open_domain(now_, message.domain, message.module);
}

void LiveDomains::add_worker(const WorkerMessage& message) {
  const bool opened = message.domain < gpu_of_.size() && gpu_of_[message.domain] != kNone;
  if (!opened || is_here(message.worker)) return;
  if (tables_.workers.size() <= message.worker) tables_.workers.resize(message.worker + 1);
  WorkerState& state = tables_.workers[message.worker];
  state.module = message.module;
  state.totals.module = message.module;
  state.slot = message.slot;
  state.gpu = message.gpu;
  group_.add_worker(now_, message.domain, message.worker);
}

void LiveDomains::drain_worker(const WorkerMessage& message) {
  if (!is_here(message.worker)) return;
  if (tables_.workers[message.worker].life != WorkerState::Life::kServing) return;
  group_.drain_worker(now_, message.worker, message.closes != 0);
}

void LiveDomains::lose_workers(MessageReader& message) {
  const auto domain = message.read<DomainMessage>();
  std::vector<WorkerId> workers;
  message.read_all(workers);
  std::erase_if(workers, [this](WorkerId worker) { return !is_here(worker); });
  if (!workers.empty()) group_.lose_workers(now_, domain.domain, workers, domain.closes != 0);
}

void LiveDomains::take_delivery(MessageReader& message) {
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
  record.domain = delivery.domain;
  record.live = true;
  if (devices_ != nullptr) {
    if (inputs_.size() <= visit) inputs_.resize(visit + 1);
    inputs_[visit].assign(message.rest().begin(), message.rest().end());
  }
  delivery_delay_.add(now_ - delivery.sent_ns);
  group_.on_delivery(now_, {visit, delivery.domain});
}

void LiveDomains::take_cancellation(MessageReader& message) {
  const auto cancelled = message.read<VisitMessage>();
  if (cancelled.visit >= tables_.visits.slots() || !tables_.visits[cancelled.visit].live) return;
  group_.on_cancellation(now_, {cancelled.visit, cancelled.request, cancelled.index});
}

void LiveDomains::take_state(MessageReader& message) {
  const auto state = message.read<ValuesMessage>();
  message.read_all(values_);
  if (state.domain == kNone) {
    group_.on_publication(now_, state.module, values_, {});
  } else {
    group_.on_publication_at(now_, state.domain, state.module, values_);
  }
}

void LiveDomains::run_batch(WorkerId worker, TimeNs profile_ns) {
  const int rank = layout_.rank_of(static_cast<int>(tables_.workers[worker].gpu));
  if (rank == rank_) {
    run_here(worker, tables_.workers[worker].gpu, profile_ns);
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.gpu = tables_.workers[worker].gpu;
  run.profile_ns = profile_ns;
  out_.send(rank, MessageKind::kRunBatch, run);
}

void LiveDomains::take_run(int from, MessageReader& message) {
  const auto run = message.read<RunMessage>();
  const auto same = [&](const Guest& guest) { return guest.worker == run.worker; };
  if (std::any_of(guests_.begin(), guests_.end(), same)) return;  // it came before
  guests_.push_back({run.worker, from, now_});
  run_here(run.worker, run.gpu, run.profile_ns);
}

void LiveDomains::run_here(WorkerId worker, std::uint32_t gpu, TimeNs profile_ns) {
  if (devices_ != nullptr) {
    run_on_device(worker);
  } else if (faults_.slows()) {
    workers_.run_batch_slowly(now_, worker, profile_ns, faults_.factor(gpu));
  } else {
    workers_.run_batch(now_, worker, profile_ns);
  }
}

void LiveDomains::run_on_device(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  const Module& module = spec_.pipeline.modules[state.module];
  pictures_.clear();
  for (const BatchVisit& member : state.running) {
    const std::vector<std::byte>& input = inputs_[member.id];
    pictures_.push_back({{reinterpret_cast<const std::uint8_t*>(input.data()), input.size()},
                         module.input_height,
                         module.input_width});
  }
  devices_->run_batch(worker, state.gpu, state.module, pictures_);
}

bool LiveDomains::take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time) {
  if (devices_ == nullptr) return false;
  now_ = now;
  const std::span<const DeviceBatch> ended = devices_->take();
  for (const DeviceBatch& batch : ended) {
    TimeNs& started_ns = tables_.workers[batch.worker].started_ns;
    started_ns = std::max(started_ns, run_time(batch.started_ns));
    batch_event(batch.worker, run_time(batch.ended_ns));
  }
  return !ended.empty();
}

void LiveDomains::take_end(MessageReader& message) {
  const auto run = message.read<RunMessage>();
  if (!is_here(run.worker) || !tables_.workers[run.worker].busy) return;
  tables_.workers[run.worker].started_ns = run.started_ns;
  group_.on_batch_done(now_, run.worker, run.ended_ns);
}

void LiveDomains::batch_event(WorkerId worker, TimeNs ended_ns) {
  const auto guest =
      std::find_if(guests_.begin(), guests_.end(), [&](const Guest& one) { return one.worker == worker; });
  if (guest == guests_.end()) {
    // A sequence may have ended, by its server's time, before its late start here.
    group_.on_batch_done(now_, worker, std::max(ended_ns, tables_.workers[worker].started_ns));
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.started_ns = guest->started_ns;
  run.ended_ns = ended_ns;
  out_.send(guest->rank, MessageKind::kBatchEnded, run);
  guests_.erase(guest);
}

std::optional<TimeNs> LiveDomains::held_until(DomainId domain) {
  std::optional<TimeNs> held;
  if (now_ <= faults_.links_until_ns() && domain < gpu_of_.size())
    held = faults_.held_until(now_, gpu_of_[domain], LinkDirection::kUp);
  if (!held && held_.any(0)) return now_;  // behind what is due and has not been looked at yet
  return held;
}

void LiveDomains::report(ModuleId module, DomainId domain, std::span<const double> values) {
  const ValuesMessage message{domain, module, 0};
  const std::optional<TimeNs> held = held_until(domain);
  if (!held) {
    out_.send(0, MessageKind::kReport, message, values);
  } else if (*held != kNever) {
    held_.hold(*held, 0, out_.compose(MessageKind::kReport, message, values));
  }
}

void LiveDomains::batch_done(TimeNs now, WorkerId worker, const WorkerState& state) {
  send_batch(MessageKind::kBatchDone, now, worker, state);
}

void LiveDomains::batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) {
  if (devices_ != nullptr) {
    std::vector<std::vector<std::byte>> inputs;
    for (const BatchVisit& member : state.running) inputs.push_back(std::move(inputs_[member.id]));
    devices_->forget(worker, std::move(inputs));
  }
  send_batch(MessageKind::kBatchLost, now, worker, state);
}

void LiveDomains::send_batch(MessageKind kind, TimeNs ended_ns, WorkerId worker, const WorkerState& state) {
  BatchMessage batch;
  batch.started_ns = state.started_ns;
  batch.ended_ns = ended_ns;
  batch.service_gpu_ns = state.service_gpu_ns;
  batch.worker = worker;
  entries_.clear();
  for (const BatchVisit& member : state.running) {
    VisitRecord& record = tables_.visits[member.id];
    entries_.push_back(
        {record.visit.request, member.arrived_ns, member.joined_ns, member.id, record.index, 0});
    record.live = false;
  }
  const std::span<const BatchEntry> entries(entries_);
  const std::optional<TimeNs> held = held_until(state.domain);
  if (kind == MessageKind::kBatchLost || held == kNever) {  // only the books hear of it
    batch.told_ns = held.value_or(0);
    out_.send(0, kind == MessageKind::kBatchLost ? kind : MessageKind::kBatchUnheard, batch, entries);
  } else if (held) {
    batch.held = 1;
    held_.hold(*held, 0, out_.compose(kind, batch, entries));
  } else {
    if (payload_) send_tensors(state.module, entries.size());
    out_.send(0, kind, batch, entries);
  }
}

/// What the next modules take comes from here: each visit's output is as large as the largest input of those
/// that follow.
void LiveDomains::send_tensors(ModuleId module, std::size_t visits) {
  std::size_t bytes = 0;
  for (const ModuleId sub : spec_.pipeline.modules[module].subs)
    bytes = std::max<std::size_t>(bytes, spec_.pipeline.modules[sub].input_bytes);
  if (bytes == 0) return;
  tensors_.resize(bytes);
  for (std::size_t i = 0; i < visits; ++i)
    out_.send(0, MessageKind::kPayload, NoContents{}, std::span<const std::byte>(tensors_));
}

void LiveDomains::tell(MessageKind kind, TimeNs at_ns, VisitId visit, DropReason reason) {
  VisitRecord& record = tables_.visits[visit];
  VisitMessage message;
  message.at_ns = at_ns;
  message.request = record.visit.request;
  message.arrived_ns = record.visit.arrived_ns;
  message.visit = visit;
  message.index = record.index;
  message.counted = record.counted ? 1 : 0;
  message.reason = reason;
  message.told_ns = held_until(record.domain).value_or(0);
  out_.send(0, kind, message);
  record.live = false;
  record.state = VisitState::kTravelling;
}

void LiveDomains::visit_dropped(TimeNs now, VisitId visit, DropReason reason) {
  tell(MessageKind::kDropped, now, visit, reason);
}

void LiveDomains::visit_cancelled(TimeNs now, VisitId visit) {
  tell(MessageKind::kCancelled, now, visit, DropReason::kExpired);
}

void LiveDomains::visits_returned(TimeNs now, ModuleId, std::span<const VisitId> visits) {
  for (const VisitId visit : visits) {
    tell(MessageKind::kReturned, now, visit, DropReason::kExpired);
    tables_.visits[visit].visit.request = kNoRequest;  // it may come here again
  }
}

void LiveDomains::worker_gone(TimeNs, WorkerId worker) {
  WorkerMessage gone;
  gone.worker = worker;
  out_.send(0, MessageKind::kWorkerGone, gone);
}

}  // namespace harness
