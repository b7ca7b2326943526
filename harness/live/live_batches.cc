// The part of LiveDomains that runs batches and sees to their tensors.
#include <algorithm>
#include <utility>

#include "harness/live/live_domains.h"

namespace harness {
namespace {

/// After so long a batch asks again for the tensors that it waits for.
constexpr TimeNs kAskAgainNs = kNsPerS;

}  // namespace

bool LiveDomains::runs_here(const WorkerState& state) const {
  // Slots and threads have no place of their own: they run where their queue is.
  if (spec_.profiles[state.module].service != Service::kBatch) return true;
  return layout_.rank_of(static_cast<int>(state.gpu)) == rank_;
}

std::vector<LiveDomains::Guest>::iterator LiveDomains::guest_of(WorkerId worker) {
  return std::find_if(guests_.begin(), guests_.end(),
                      [worker](const Guest& guest) { return guest.worker == worker; });
}

void LiveDomains::run_batch(WorkerId worker, TimeNs profile_ns) {
  const WorkerState& state = tables_.workers[worker];
  if (runs_here(state)) {
    start({worker, state.gpu, state.module, profile_ns, {}, take_inputs(worker), now_});
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.gpu = state.gpu;
  run.profile_ns = profile_ns;
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

void LiveDomains::run_visit(const ServiceVisit& visit) {
  const WorkerState& state = tables_.workers[visit.worker];
  start({visit.worker, state.gpu, state.module, 0, visit, take_inputs(visit.worker), now_});
}

void LiveDomains::take_run(int from, MessageReader& message) {
  const auto run = message.read<RunMessage>();
  Guest guest{run.worker, from, now_, {}, {}, false};
  message.read_all(guest.visits);
  if (guest_of(run.worker) != guests_.end()) return;  // it came before
  const auto is_lost = [this](const RunEntry& one) { return lost_.erase({one.request, one.index}) > 0; };
  if (std::count_if(guest.visits.begin(), guest.visits.end(), is_lost) > 0) return;
  for (const RunEntry& one : guest.visits) {
    if (!tensors_ || one.source_rank == kNone) continue;
    guest.inputs.push_back(tensors_->fetch({one.request, one.source}, static_cast<int>(one.source_rank),
                                           spec_.pipeline.modules[one.module].input_bytes,
                                           {one.module, kNone}));
  }
  const ModuleId module = guest.visits.empty() ? ModuleId{0} : guest.visits.front().module;
  guests_.push_back(std::move(guest));
  start({run.worker, run.gpu, module, run.profile_ns, {}, guests_.back().inputs, now_});
}

void LiveDomains::start(Start what) {
  const auto is_here = [this](TransferId id) { return tensors_->is_here(id); };
  if (std::all_of(what.inputs.begin(), what.inputs.end(), is_here)) {
    start_now(what);
    return;
  }
  events_.push(now_ + kAskAgainNs, kLiveTensors, what.worker);
  waiting_.push_back(std::move(what));
}

void LiveDomains::start_now(const Start& what) {
  if (what.visit) {
    workers_.run_visit(now_, *what.visit);
  } else if (devices_ != nullptr) {
    run_on_device(what);
  } else if (faults_.slows()) {
    workers_.run_batch_slowly(now_, what.worker, what.profile_ns, faults_.factor(what.gpu));
  } else {
    workers_.run_batch(now_, what.worker, what.profile_ns);
  }
  if (what.preempt) preempt_here(what.worker, what.module);
}

void LiveDomains::preempt(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  if (runs_here(state)) {
    preempt_here(worker, state.module);
    return;
  }
  RunMessage run;
  run.worker = worker;
  run.gpu = state.gpu;
  run.module = state.module;
  out_.send(layout_.rank_of(static_cast<int>(state.gpu)), MessageKind::kPreempt, run);
}

void LiveDomains::preempt_here(WorkerId worker, ModuleId module) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(),
                                    [worker](const Start& one) { return one.worker == worker; });
  if (waiting != waiting_.end()) {
    waiting->preempt = true;
  } else if (devices_ != nullptr) {
    devices_->preempt(worker);
  } else {
    workers_.preempt(now_, worker, module);
  }
}

void LiveDomains::run_on_device(const Start& what) {
  pictures_.clear();
  for (const TransferId id : what.inputs) pictures_.push_back(picture_of(what.module, id));
  devices_->run_batch(what.worker, what.gpu, what.module, pictures_);
}

Picture LiveDomains::picture_of(ModuleId module, TransferId id) const {
  const std::span<std::byte> bytes = tensors_->at(id).span();
  const Module& declared = spec_.pipeline.modules[module];
  return {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
          declared.input_height,
          declared.input_width,
          tensors_->is_on_device(id)};
}

void LiveDomains::joined(WorkerId worker, VisitId) {
  if (spec_.profiles[tables_.workers[worker].module].service != Service::kBatch) return;
  if (prepared_.size() <= worker) prepared_.resize(worker + 1);
  if (std::find(incomplete_.begin(), incomplete_.end(), worker) == incomplete_.end() && !prepare(worker))
    incomplete_.push_back(worker);
}

bool LiveDomains::prepare(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  for (std::size_t& next = prepared_[worker]; next < state.forming.size(); ++next) {
    const TransferId id = inputs_[state.forming[next].id].id;
    if (id == 0 || !tensors_->is_here(id)) return false;
    const ModuleId module = state.forming_module;
    devices_->prepare(state.gpu, module, picture_of(module, id), tensors_->at(id).owner);
  }
  return true;
}

bool LiveDomains::take_transfers(TimeNs now) {
  if (!tensors_ || !tensors_->poll()) return false;
  now_ = now;
  tensors_came();
  return true;
}

void LiveDomains::tensors_came() {
  start_waiting();
  std::erase_if(incomplete_, [this](WorkerId worker) { return prepare(worker); });
}

void LiveDomains::start_waiting() {
  const auto is_here = [this](TransferId id) { return tensors_->is_here(id); };
  for (std::size_t i = 0; i < waiting_.size();) {
    if (!std::all_of(waiting_[i].inputs.begin(), waiting_[i].inputs.end(), is_here)) {
      ++i;
      continue;
    }
    const Start what = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    const TimeNs waited_ns = now_ - what.asked_ns;
    tensor_waits_.waits.add(waited_ns);
    tensor_waits_.longest_ns = std::max(tensor_waits_.longest_ns, waited_ns);
    const auto guest = guest_of(what.worker);
    (guest == guests_.end() ? tables_.workers[what.worker].started_ns : guest->started_ns) = now_;
    start_now(what);
  }
}

void LiveDomains::ask_again(WorkerId worker) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Start& one) {
    return one.worker == worker && now_ - one.asked_ns >= kAskAgainNs;
  });
  if (found == waiting_.end()) return;
  events_.push(now_ + kAskAgainNs, kLiveTensors, worker);
  for (const TransferId id : found->inputs) tensors_->ask_again(id);
  start_waiting();  // what is kept here comes at once
}

bool LiveDomains::take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time) {
  if (devices_ == nullptr) return false;
  now_ = now;
  const std::span<const DeviceBatch> ended = devices_->take();
  for (const DeviceBatch& batch : ended) {
    TimeNs& started_ns = tables_.workers[batch.worker].started_ns;
    started_ns = std::max(started_ns, run_time(batch.started_ns));
    batch_event(batch.worker, run_time(batch.ended_ns), batch.preempted);
  }
  return !ended.empty();
}

void LiveDomains::end_batch(WorkerId worker, TimeNs ended_ns, bool preempted) {
  if (preempted) {
    group_.on_batch_preempted(now_, worker, ended_ns);
  } else {
    group_.on_batch_done(now_, worker, ended_ns);
  }
}

void LiveDomains::batch_event(WorkerId worker, TimeNs ended_ns, bool preempted) {
  const auto guest = guest_of(worker);
  if (guest == guests_.end()) {
    // A sequence may have ended, by its server's time, before its late start here.
    end_batch(worker, std::max(ended_ns, tables_.workers[worker].started_ns), preempted);
    return;
  }
  for (const RunEntry& one : guest->visits) {
    if (!guest->lost && !preempted) tensors_->keep({one.request, one.index}, {one.module, kNone});
  }
  for (const TransferId id : guest->inputs) tensors_->drop(id);
  RunMessage run;
  run.worker = worker;
  run.started_ns = guest->started_ns;
  run.ended_ns = ended_ns;
  run.preempted = preempted ? 1 : 0;
  out_.send(guest->rank, MessageKind::kBatchEnded, run);
  guests_.erase(guest);
}

void LiveDomains::take_end(MessageReader& message) {
  const auto run = message.read<RunMessage>();
  if (!is_here(run.worker) || !tables_.workers[run.worker].busy) return;
  tables_.workers[run.worker].started_ns = run.started_ns;
  end_batch(run.worker, run.ended_ns, run.preempted != 0);
}

void LiveDomains::note_input(const DeliverMessage& delivery, std::span<const std::byte> bytes) {
  const VisitId visit = delivery.visit.id;
  if (inputs_.size() <= visit) inputs_.resize(visit + 1);
  end_input(visit);  // of a visit that rank 0 knows no more of
  VisitInput& input = inputs_[visit];
  input = {delivery.visit.request, delivery.source_rank, delivery.source, 0};
  if (fetches_late_) {
    if (bytes.empty()) return;
    tensors_->keep_input(input.request, bytes);
    input.source_rank = static_cast<std::uint32_t>(rank_);
    input.source = kClientTensor;
  } else if (!bytes.empty()) {
    input.id = tensors_->put(bytes);
  } else if (input.source_rank != kNone) {
    const ModuleId module = delivery.visit.module;
    input.id =
        tensors_->fetch({input.request, input.source}, static_cast<int>(input.source_rank),
                        spec_.pipeline.modules[module].input_bytes, {module, place_of(delivery.domain).gpu});
  }
}

const std::vector<TransferId>& LiveDomains::take_inputs(WorkerId worker) {
  static const std::vector<TransferId> kNothing;
  if (!tensors_) return kNothing;
  if (running_inputs_.size() <= worker) running_inputs_.resize(worker + 1);
  if (worker < prepared_.size()) prepared_[worker] = 0;  // of the batch that forms next
  std::vector<TransferId>& ids = running_inputs_[worker];
  const WorkerState& state = tables_.workers[worker];
  for (const BatchVisit& member : state.running) {
    VisitInput& input = inputs_[member.id];
    if (input.id != 0) {
      ids.push_back(std::exchange(input.id, 0));
    } else if (input.source_rank != kNone) {
      ids.push_back(tensors_->fetch({input.request, input.source}, static_cast<int>(input.source_rank),
                                    spec_.pipeline.modules[state.module].input_bytes, {state.module, kNone}));
    }
  }
  return ids;
}

void LiveDomains::give_inputs_back(WorkerId worker) {
  if (worker >= running_inputs_.size()) return;
  std::vector<TransferId>& ids = running_inputs_[worker];
  const std::vector<BatchVisit>& members = tables_.workers[worker].running;
  // Visits of a module bring a tensor each, or none does.
  for (std::size_t i = 0; i < ids.size(); ++i) inputs_[members[i].id].id = ids[i];
  ids.clear();
}

void LiveDomains::end_input(VisitId visit) {
  VisitInput& input = inputs_[visit];
  if (input.id != 0) tensors_->drop(input.id);
  if (input.source_rank == static_cast<std::uint32_t>(rank_) && input.source == kClientTensor)
    tensors_->release({input.request, kClientTensor});
  input = {};
}

void LiveDomains::keep_outputs(const WorkerState& state) {
  for (const BatchVisit& member : state.running) {
    const VisitRecord& record = tables_.visits[member.id];
    tensors_->keep({record.visit.request, record.index}, {state.module, state.gpu});
  }
}

void LiveDomains::lose_guest(const TensorKey& visit) {
  const auto is_it = [&visit](const RunEntry& one) { return TensorKey{one.request, one.index} == visit; };
  const auto guest = std::find_if(guests_.begin(), guests_.end(), [&is_it](const Guest& one) {
    return std::any_of(one.visits.begin(), one.visits.end(), is_it);
  });
  if (guest == guests_.end()) {
    lost_.insert(visit);
    return;
  }
  guest->lost = true;
  std::erase_if(waiting_, [&guest](const Start& one) { return one.worker == guest->worker; });
  for (const TransferId id : guest->inputs) tensors_->drop(id);
  guest->inputs.clear();
}

void LiveDomains::take_releases(MessageReader& message) {
  std::vector<ReleaseEntry> entries;
  message.read_all(entries);
  if (!tensors_) return;
  for (const ReleaseEntry& entry : entries) {
    const TensorKey key{entry.request, entry.index};
    if (!tensors_->release(key) && entry.lost != 0) lose_guest(key);
  }
}

}  // namespace harness
