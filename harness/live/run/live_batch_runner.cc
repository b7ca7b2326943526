#include "harness/live/run/live_batch_runner.h"

#include <algorithm>
#include <utility>

#include "harness/live/protocol/live_event.h"

namespace harness {
namespace {

/// The time after which a batch asks again for the tensors that it waits for.
constexpr TimeNs kAskAgainNs = kNsPerS;

Image image_of(const LiveTensors& tensors, TransferId id, const Module& module) {
  const std::span<std::byte> bytes = tensors.at(id).span();
  return {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
          module.input_height,
          module.input_width,
          tensors.is_on_device(id)};
}

/// Returns the output of one of the visits of a batch; empty if nothing was computed.
StoredTensor output_of(const StoredTensor& outputs, std::size_t place, std::size_t visits) {
  if (outputs.owner == nullptr) return {};
  const std::size_t each = outputs.bytes / visits;
  return {outputs.data + place * each, each, outputs.owner};
}

}  // namespace

LiveBatchRunner::LiveBatchRunner(const RunSpec& spec, const Layout& layout, int rank, bool payload,
                                 MessageWriter& out, EventQueue& events, const Environment& environment,
                                 DeviceWorkers* devices, DeviceExchanges* exchanges)
    : spec_(spec),
      layout_(layout),
      rank_(rank),
      out_(out),
      events_(events),
      tables_(environment.tables),
      queues_(environment.queues),
      faults_(environment.faults),
      now_(environment.now),
      workers_(spec, events, {kLiveBatchDone, kLiveServer, kLiveBatchPreempted}),
      timers_(events, kLiveTimer),
      devices_(devices),
      fetches_late_(spec.serving.queue == QueueScope::kModule && layout.ranks() > 2) {
  if (payload)
    tensors_.emplace(spec.pipeline, spec.seed, rank, out, exchanges,
                     static_cast<std::uint32_t>(layout.first_gpu(rank)));
}

bool LiveBatchRunner::take(int from, Message& message) {
  switch (message.kind()) {
    case MessageKind::kRunBatch:
      take_run(from, message);
      return true;
    case MessageKind::kPreempt: {
      const auto run = message.read<RunMessage>();
      if (is_guest(run.worker)) preempt_here(run.worker);
      return true;
    }
    case MessageKind::kBatchEnded:
      take_end(message);
      return true;
    case MessageKind::kRelease:
      take_releases(message);
      return true;
    default:
      if (!tensors_ || !tensors_->take(from, message)) return false;
      tensors_came();
      return true;
  }
}

bool LiveBatchRunner::handle(const Event& event) {
  switch (event.kind) {
    case kLiveBatchDone:
      if (workers_.takes_end(event.index, event.at_ns)) batch_event(event.index, event.at_ns);
      return true;
    case kLiveBatchPreempted:
      if (workers_.takes_stop(event.index, event.at_ns)) batch_event(event.index, event.at_ns, true);
      return true;
    case kLiveServer:
      for (const WorkerId worker : workers_.on_server(event.index, event.at_ns))
        batch_event(worker, event.at_ns);
      return true;
    case kLiveTimer:
      if (timers_.take(event.index, event.at_ns)) queues_.on_timer(now_, event.index);
      return true;
    case kLiveTensors:
      ask_again(event.index);
      return true;
    default:
      return false;
  }
}

bool LiveBatchRunner::runs_here(const WorkerState& state) const {
  // Slots and threads have no GPU of their own: they run on the rank of their queue.
  if (spec_.profiles[state.module].service != Service::kBatch) return true;
  return layout_.rank_of(static_cast<int>(state.gpu)) == rank_;
}

LiveBatchRunner::Run& LiveBatchRunner::run_of(WorkerId worker) {
  if (runs_.size() <= worker) runs_.resize(worker + 1);
  return runs_[worker];
}

void LiveBatchRunner::run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) {
  const WorkerState& state = tables_.workers[worker];
  if (runs_here(state)) {
    Run& own = run_of(worker);
    own.profile_ns = profile_ns;
    own.handover_ns = handover_ns;
    start_own(worker, {});
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.gpu = state.gpu;
  run.module = state.module;
  run.profile_ns = profile_ns;
  run.handover_ns = handover_ns;
  std::vector<RunEntry> visits;
  for (std::size_t i = 0; tensors_ && i < state.running.size(); ++i) {
    const VisitId visit = state.running[i].id;
    const VisitInput& input = inputs_[visit];
    visits.push_back(
        {input.request, input.source_rank, input.source, tables_.visits[visit].index, state.module, {}});
  }
  out_.send(layout_.rank_of(static_cast<int>(state.gpu)), MessageKind::kRunBatch, run,
            std::span<const RunEntry>(visits));
}

void LiveBatchRunner::run_visit(const ServiceVisit& visit) { start_own(visit.worker, visit); }

void LiveBatchRunner::start_own(WorkerId worker, std::optional<ServiceVisit> visit) {
  Run& run = run_of(worker);
  run.gpu = tables_.workers[worker].gpu;
  run.module = tables_.workers[worker].module;
  run.visit = visit;
  run.prepared = 0;
  std::erase(closed_, worker);
  if (std::exchange(run.ahead, false)) {
    run.asked_ns = kNever;
    run.inputs = std::exchange(run.next, {});
    return;
  }
  take_inputs(worker, run);
  start(worker);
}

void LiveBatchRunner::take_run(int from, Message& message) {
  const auto asked = message.read<RunMessage>();
  if (is_guest(asked.worker)) return;  // it came before
  Run run;
  run.gpu = asked.gpu;
  run.module = asked.module;
  run.profile_ns = asked.profile_ns;
  run.handover_ns = asked.handover_ns;
  run.guest_of = from;
  run.started_ns = now_;
  message.read_all(run.visits);
  const auto is_lost = [this](const RunEntry& one) { return lost_.erase({one.request, one.index}) > 0; };
  if (std::count_if(run.visits.begin(), run.visits.end(), is_lost) > 0) return;
  for (const RunEntry& one : run.visits) {
    if (!tensors_ || one.source_rank == kNone) continue;
    run.inputs.push_back(tensors_->fetch({one.request, one.source}, static_cast<int>(one.source_rank),
                                         spec_.pipeline.modules[one.module].input_bytes,
                                         {one.module, kNone}));
  }
  run_of(asked.worker) = std::move(run);
  start(asked.worker);
}

bool LiveBatchRunner::has_tensors(const Run& run) const {
  return std::all_of(run.inputs.begin(), run.inputs.end(),
                     [this](TransferId id) { return tensors_->is_here(id); });
}

void LiveBatchRunner::start(WorkerId worker) {
  Run& run = runs_[worker];
  run.asked_ns = has_tensors(run) ? kNever : now_;
  if (run.asked_ns != kNever) {
    events_.push(now_ + kAskAgainNs, kLiveTensors, worker);
  } else if (has_room(run)) {
    start_now(worker);
    return;
  }
  waiting_.push_back(worker);
}

void LiveBatchRunner::start_now(WorkerId worker) {
  Run& run = runs_[worker];
  if (run.visit) {
    workers_.run_visit(now_, *run.visit);
  } else if (devices_ != nullptr) {
    run_on_device(worker, run.gpu, run.module, run.inputs);
  } else if (faults_.slows()) {  // here and below: an emulated GPU
    workers_.run_batch_slowly(started_of(worker), worker, run.profile_ns, run.handover_ns,
                              faults_.factor(run.gpu));
  } else {
    workers_.run_batch(started_of(worker), worker, run.profile_ns, run.handover_ns);
  }
  if (std::exchange(run.preempt, false)) preempt_here(worker);
}

void LiveBatchRunner::preempt(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  if (runs_here(state)) {
    preempt_here(worker);
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.gpu = state.gpu;
  run.module = state.module;
  out_.send(layout_.rank_of(static_cast<int>(state.gpu)), MessageKind::kPreempt, run);
}

void LiveBatchRunner::preempt_here(WorkerId worker) {
  Run& run = runs_[worker];
  if (is_waiting(worker)) {
    run.preempt = true;
  } else if (devices_ != nullptr) {
    devices_->preempt(worker);
  } else {
    workers_.preempt(now_, worker, run.module);
  }
}

void LiveBatchRunner::run_on_device(WorkerId worker, std::uint32_t gpu, ModuleId module,
                                    std::span<const TransferId> inputs) {
  for (const TransferId id : inputs) {
    images_.push_back(image_of(*tensors_, id, spec_.pipeline.modules[module]));
    owners_.push_back(tensors_->at(id).owner);
  }
  devices_->run_batch(worker, gpu, module, images_, owners_);
  images_.clear();
  owners_.clear();
}

void LiveBatchRunner::joined(WorkerId worker, VisitId) {
  if (spec_.profiles[tables_.workers[worker].module].service != Service::kBatch) return;
  if (std::find(incomplete_.begin(), incomplete_.end(), worker) == incomplete_.end() && !prepare(worker))
    incomplete_.push_back(worker);
}

bool LiveBatchRunner::prepare(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  for (std::size_t& next = run_of(worker).prepared; next < state.forming.size(); ++next) {
    const TransferId id = inputs_[state.forming[next].id].id;
    if (id == 0 || !tensors_->is_here(id)) return false;
    const ModuleId module = state.forming_module;
    devices_->prepare(state.gpu, module, image_of(*tensors_, id, spec_.pipeline.modules[module]),
                      tensors_->at(id).owner);
  }
  return true;
}

void LiveBatchRunner::closed(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  const bool in_batches = spec_.profiles[state.forming_module].service == Service::kBatch;
  if (in_batches && runs_here(state) && !submit_ahead(worker)) closed_.push_back(worker);
}

bool LiveBatchRunner::submit_ahead(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  Run& run = run_of(worker);
  if (!devices_->has_room(state.gpu) || is_waiting(worker)) return false;  // a run that waits goes first
  for (const BatchVisit& member : state.forming) {
    const TransferId id = inputs_[member.id].id;
    if (id == 0 || !tensors_->is_here(id)) return false;
  }
  for (const BatchVisit& member : state.forming) run.next.push_back(std::exchange(inputs_[member.id].id, 0));
  run.ahead = true;
  run.prepared = state.forming.size();
  std::erase(incomplete_, worker);
  run_on_device(worker, state.gpu, state.forming_module, run.next);
  return true;
}

bool LiveBatchRunner::take_transfers() {
  if (!tensors_ || !tensors_->poll()) return false;
  tensors_came();
  return true;
}

void LiveBatchRunner::tensors_came() {
  start_waiting();
  std::erase_if(incomplete_, [this](WorkerId worker) { return prepare(worker); });
  submit_closed();
}

void LiveBatchRunner::submit_closed() {
  std::erase_if(closed_, [this](WorkerId worker) { return submit_ahead(worker); });
}

void LiveBatchRunner::start_waiting() {
  for (std::size_t i = 0; i < waiting_.size();) {
    const WorkerId worker = waiting_[i];
    Run& run = runs_[worker];
    if (!has_tensors(run) || !has_room(run)) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (run.asked_ns != kNever) {
      const TimeNs waited_ns = now_ - run.asked_ns;
      tensor_waits_.waits.add(waited_ns);
      tensor_waits_.longest_ns = std::max(tensor_waits_.longest_ns, waited_ns);
      started_of(worker) = now_;
    }
    start_now(worker);
  }
}

void LiveBatchRunner::ask_again(WorkerId worker) {
  if (!is_waiting(worker)) return;
  const Run& run = runs_[worker];
  if (now_ - run.asked_ns < kAskAgainNs) return;  // an earlier batch of the worker waited, too
  events_.push(now_ + kAskAgainNs, kLiveTensors, worker);
  for (const TransferId id : run.inputs) tensors_->ask_again(id);
  start_waiting();  // what is kept here comes at once
}

bool LiveBatchRunner::take_batches(const std::function<TimeNs(TimeNs)>& run_time) {
  if (devices_ == nullptr) return false;
  const std::span<const DeviceWorkers::EndedBatch> ended = devices_->take();
  start_waiting();
  submit_closed();
  for (const DeviceWorkers::EndedBatch& batch : ended) {
    TimeNs& started_ns = tables_.workers[batch.worker].started_ns;
    started_ns = std::max(started_ns, run_time(batch.started_ns));
    runs_[batch.worker].outputs = batch.outputs;
    batch_event(batch.worker, run_time(batch.ended_ns), batch.preempted);
  }
  return !ended.empty();
}

void LiveBatchRunner::batch_event(WorkerId worker, TimeNs ended_ns, bool preempted) {
  if (!is_guest(worker)) {
    // A sequence may have ended, by its server's time, before its late start here.
    end_batch(worker, std::max(ended_ns, tables_.workers[worker].started_ns), preempted);
    return;
  }
  Run& run = runs_[worker];
  for (std::size_t i = 0; i < run.visits.size() && !run.lost && !preempted; ++i) {
    const RunEntry& one = run.visits[i];
    tensors_->keep({one.request, one.index}, {one.module, kNone},
                   output_of(run.outputs, i, run.visits.size()));
  }
  drop_inputs(run);
  RunMessage end;
  end.worker = worker;
  end.started_ns = run.started_ns;
  end.ended_ns = ended_ns;
  end.preempted = preempted ? 1 : 0;
  out_.send(run.guest_of, MessageKind::kBatchEnded, end);
  run = {};
}

void LiveBatchRunner::end_batch(WorkerId worker, TimeNs ended_ns, bool preempted) {
  if (preempted) {
    queues_.on_batch_preempted(now_, worker, ended_ns);
  } else {
    queues_.on_batch_done(now_, worker, ended_ns);
  }
}

void LiveBatchRunner::take_end(Message& message) {
  const auto run = message.read<RunMessage>();
  if (run.worker >= tables_.workers.size() || !tables_.workers[run.worker].busy) return;
  tables_.workers[run.worker].started_ns = run.started_ns;
  end_batch(run.worker, run.ended_ns, run.preempted != 0);
}

void LiveBatchRunner::on_delivery(const DeliverMessage& delivery, std::span<const std::byte> bytes,
                                  std::uint32_t gpu) {
  if (!tensors_) return;
  const VisitId visit = delivery.visit.id;
  if (inputs_.size() <= visit) inputs_.resize(visit + 1);
  on_visit_left(visit);  // an earlier visit, which rank 0 has forgotten
  VisitInput& input = inputs_[visit];
  input = {delivery.visit.request, delivery.source_rank, delivery.source, 0};
  if (!bytes.empty() || delivery.source == kClientTensor) {
    StoredTensor tensor =
        bytes.empty() ? tensors_->own_input(delivery.visit.module, input.request) : tensors_->copy_of(bytes);
    if (!fetches_late_) {
      input.id = tensors_->put(std::move(tensor));
      input.source_rank = kNone;
      return;
    }
    tensors_->keep_input(input.request, std::move(tensor));
    input.source_rank = static_cast<std::uint32_t>(rank_);
    input.source = kClientTensor;
  } else if (fetches_late_) {
    return;
  } else if (input.source_rank != kNone) {
    const ModuleId module = delivery.visit.module;
    input.id = tensors_->fetch({input.request, input.source}, static_cast<int>(input.source_rank),
                               spec_.pipeline.modules[module].input_bytes, {module, gpu});
  }
}

void LiveBatchRunner::on_visit_left(VisitId visit) {
  if (!tensors_) return;
  VisitInput& input = inputs_[visit];
  if (input.id != 0) tensors_->drop(input.id);
  if (input.source_rank == static_cast<std::uint32_t>(rank_) && input.source == kClientTensor)
    tensors_->release({input.request, kClientTensor});
  input = {};
}

void LiveBatchRunner::take_inputs(WorkerId worker, Run& run) {
  if (!tensors_) return;
  for (const BatchVisit& member : tables_.workers[worker].running) {
    VisitInput& input = inputs_[member.id];
    if (input.id != 0) {
      run.inputs.push_back(std::exchange(input.id, 0));
    } else if (input.source_rank != kNone) {
      run.inputs.push_back(tensors_->fetch({input.request, input.source}, static_cast<int>(input.source_rank),
                                           spec_.pipeline.modules[run.module].input_bytes,
                                           {run.module, kNone}));
    }
  }
}

void LiveBatchRunner::on_batch_done(WorkerId worker, const WorkerState& state) {
  if (!tensors_) return;
  if (runs_here(state)) {
    Run& run = run_of(worker);
    for (std::size_t i = 0; i < state.running.size(); ++i) {
      const VisitRecord& record = tables_.visits[state.running[i].id];
      tensors_->keep({record.visit.request, record.index}, {state.module, state.gpu},
                     output_of(run.outputs, i, state.running.size()));
    }
    run.outputs = {};
  }
  end_inputs(worker, state);
}

void LiveBatchRunner::on_batch_preempted(WorkerId worker) {
  if (worker >= runs_.size()) return;
  std::vector<TransferId>& ids = runs_[worker].inputs;
  const std::vector<BatchVisit>& members = tables_.workers[worker].running;
  // Either each visit of a module brings a tensor or no visit does.
  for (std::size_t i = 0; i < ids.size(); ++i) inputs_[members[i].id].id = ids[i];
  ids.clear();
}

void LiveBatchRunner::on_batch_lost(WorkerId worker, const WorkerState& state) {
  if (std::erase(waiting_, worker) == 0 && devices_ != nullptr) devices_->forget(worker);
  std::erase(closed_, worker);
  if (worker < runs_.size() && std::exchange(runs_[worker].ahead, false)) {
    Run& run = runs_[worker];
    for (std::size_t i = 0; i < state.forming.size(); ++i) inputs_[state.forming[i].id].id = run.next[i];
    run.next.clear();
  }
  if (tensors_) end_inputs(worker, state);
}

void LiveBatchRunner::end_inputs(WorkerId worker, const WorkerState& state) {
  for (const BatchVisit& member : state.running) on_visit_left(member.id);
  if (worker < runs_.size()) drop_inputs(runs_[worker]);
}

void LiveBatchRunner::drop_inputs(Run& run) {
  for (const TransferId id : run.inputs) tensors_->drop(id);
  run.inputs.clear();
}

void LiveBatchRunner::lose_guest(const TensorKey& visit) {
  const auto is_it = [&visit](const RunEntry& one) { return TensorKey{one.request, one.index} == visit; };
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&is_it](const Run& one) {
    return std::any_of(one.visits.begin(), one.visits.end(), is_it);
  });
  if (found == runs_.end()) {
    lost_.insert(visit);
    return;
  }
  found->lost = true;
  std::erase(waiting_, static_cast<WorkerId>(found - runs_.begin()));
  drop_inputs(*found);
}

void LiveBatchRunner::take_releases(Message& message) {
  std::vector<ReleaseEntry> entries;
  message.read_all(entries);
  if (!tensors_) return;
  for (const ReleaseEntry& entry : entries) {
    const TensorKey key{entry.request, entry.index};
    if (!tensors_->release(key) && entry.lost != 0) lose_guest(key);
  }
}

}  // namespace harness
