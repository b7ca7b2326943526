#include "systems/clockwork/central_scheduler.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"

namespace harness {
namespace {

/// A time before any expected end of a batch.
constexpr TimeNs kIdle = -1;

}  // namespace

CentralScheduler::CentralScheduler(const ClockworkParams& params, std::span<const ClockworkModel> models,
                                   bool queues_behind)
    : params_(params),
      margin_ns_(ms_to_ns(params.margin_ms)),
      ahead_ns_(ms_to_ns(params.schedule_ahead_ms)),
      queues_behind_(queues_behind) {
  HARNESS_CHECK(!models.empty(), "Clockwork serves at least one model");
  for (const ClockworkModel& model : models) {
    ModelStrategies strategies(model, params);
    const int sizes = strategies.sizes();
    models_.push_back({model.module, std::move(strategies), {}, sizes, false});
    if (model.module >= model_of_.size()) model_of_.resize(model.module + std::size_t{1}, kNowhere);
    model_of_[model.module] = static_cast<int>(models_.size()) - 1;
  }
}

void CentralScheduler::on_worker_added(WorkerId worker) {
  if (worker >= draining_.size()) draining_.resize(worker + std::size_t{1}, false);
  draining_[worker] = false;
}

void CentralScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  available_.set(worker, kIdle);
  settle(now, out);
}

void CentralScheduler::on_worker_draining(WorkerId worker) {
  draining_[worker] = true;
  available_.erase(worker);
}

void CentralScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                       std::span<const Visit> visits, Decisions& out) {
  for (const WorkerId worker : workers) available_.erase(worker);
  for (const Visit& visit : visits) enqueue(visit);
  settle(now, out);
}

void CentralScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  enqueue(visit);
  settle(now, out);
}

void CentralScheduler::on_cancelled(VisitId visit) {
  HARNESS_CHECK(visit < places_.size() && places_[visit].model != kNowhere,
                "a cancelled visit is in no queue");
  Model& model = models_[static_cast<std::size_t>(places_[visit].model)];
  model.strategies.erase({places_[visit].deadline_ns, visit});
  model.changed = true;
  leave(visit);
}

void CentralScheduler::on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) {
  if (!queues_behind_ || draining_[batch.worker]) return;
  const auto visits = static_cast<int>(batch.visits.size());
  const ModelStrategies& strategies = model_of(batch.module).strategies;
  available_.set(batch.worker, batch.started_ns + strategies.estimate_of_batch(visits));
  settle(now, out);
}

void CentralScheduler::on_batch_done(const BatchView& batch) {
  Model& model = model_of(batch.module);
  model.strategies.measured(static_cast<int>(batch.visits.size()), batch.ended_ns - batch.started_ns);
  model.changed = true;
}

void CentralScheduler::on_timer(TimeNs now, Decisions& out) {
  wake_ns_ = kNever;
  settle(now, out);
}

CentralScheduler::Model& CentralScheduler::model_of(ModuleId module) {
  HARNESS_CHECK(module < model_of_.size() && model_of_[module] != kNowhere, "a module is not served here");
  return models_[static_cast<std::size_t>(model_of_[module])];
}

void CentralScheduler::enqueue(const Visit& visit) {
  Model& model = model_of(visit.module);
  const TimeNs deadline_ns = visit.deadline_ns - margin_ns_;
  model.strategies.insert({deadline_ns, visit.id});
  model.changed = true;
  if (visit.id >= places_.size()) places_.resize(std::max<std::size_t>(visit.id + 1, 2 * places_.size()));
  places_[visit.id] = {deadline_ns, model_of_[visit.module]};
  ++queued_;
}

void CentralScheduler::leave(VisitId visit) {
  places_[visit].model = kNowhere;
  --queued_;
}

void CentralScheduler::drop(VisitId visit, DropReason reason, Decisions& out) {
  leave(visit);
  out.drop(visit, reason);
}

/// Gives batches to the workers that are free soon enough, after an event.
void CentralScheduler::settle(TimeNs now, Decisions& out) {
  while (queued_ > 0 && !available_.empty() && available_.first_key() <= now + ahead_ns_) {
    if (!form_batch(std::max(now, available_.first_key()), available_.first(), out)) break;
  }
  wake(now, out);
}

/// Forms the worker's next batch, which starts at `start_ns`. Returns false if no waiting visit can be
/// served.
bool CentralScheduler::form_batch(TimeNs start_ns, WorkerId worker, Decisions& out) {
  if (params_.stale == ClockworkStale::kRefresh) {
    for (Model& model : models_) expire(model, start_ns, out);
  }
  bool formed = false;
  while (!formed) {
    Model* model = first_model();
    if (model == nullptr) break;
    const int size = model->first.size;
    expire(*model, start_ns, out);
    const int filled = params_.batch == ClockworkBatch::kLargest ? model->strategies.largest_filled()
                       : model->strategies.filled(size)          ? size
                                                                 : -1;
    if (filled >= size) {
      launch(*model, filled, worker, out);
      formed = true;
    } else {
      model->sizes = size;
    }
  }
  for (Model& model : models_) {
    model.changed = model.changed || model.sizes < model.strategies.sizes();
    model.sizes = model.strategies.sizes();
  }
  return formed;
}

CentralScheduler::Model* CentralScheduler::first_model() {
  Model* first = nullptr;
  for (Model& model : models_) {
    if (model.changed) model.first = model.strategies.first(model.sizes);
    model.changed = false;
    if (model.first.start_ns == kNever) continue;
    if (first == nullptr || comes_first(model, *first)) first = &model;
  }
  return first;
}

bool CentralScheduler::comes_first(const Model& one, const Model& other) const {
  if (one.first.start_ns != other.first.start_ns) return one.first.start_ns < other.first.start_ns;
  const int batch = one.strategies.batch(one.first.size);
  const int other_batch = other.strategies.batch(other.first.size);
  return params_.ties == ClockworkTies::kSmall ? batch < other_batch : batch > other_batch;
}

void CentralScheduler::expire(Model& model, TimeNs start_ns, Decisions& out) {
  model.strategies.expire(start_ns, [&](VisitId visit) { drop(visit, DropReason::kEstimatedLate, out); });
  model.changed = true;
}

void CentralScheduler::launch(Model& model, int size, WorkerId worker, Decisions& out) {
  available_.erase(worker);
  const auto join = [&](VisitId visit) {
    leave(visit);
    out.join(worker, visit);
  };
  model.strategies.take(size, join, [&](VisitId visit) { drop(visit, DropReason::kEarlyDrop, out); });
  out.launch(worker);
  model.changed = true;
}

/// Asks to be called when the first busy worker is to get its next batch.
void CentralScheduler::wake(TimeNs now, Decisions& out) {
  if (queued_ == 0 || available_.empty()) return;
  const TimeNs at_ns = available_.first_key() - ahead_ns_;
  if (at_ns <= now || at_ns >= wake_ns_) return;
  wake_ns_ = at_ns;
  out.wake_at(at_ns);
}

}  // namespace harness
