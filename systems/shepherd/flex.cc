#include "systems/shepherd/flex.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr int kNoModel = -1;

}  // namespace

Flex::Flex(const FlexParams& params, std::span<const FlexModel> models)
    : params_(params), queues_(models, params.batch, params.max_batch), largest_(models.size()) {
  HARNESS_CHECK(!models.empty(), "FLEX serves at least one model");
  HARNESS_CHECK(params.lambda >= 1, "lambda is 1 or more");
  for (const FlexModel& model : models) {
    modules_.push_back(model.module);
    if (model.module >= model_of_.size()) model_of_.resize(model.module + std::size_t{1}, kNoModel);
    model_of_[model.module] = static_cast<int>(modules_.size()) - 1;
  }
}

void Flex::on_worker_added(TimeNs now, WorkerId worker, FlexDecisions& out) {
  const auto at = std::lower_bound(workers_.begin(), workers_.end(), worker,
                                   [](const Worker& one, WorkerId id) { return one.id < id; });
  HARNESS_CHECK(at == workers_.end() || at->id != worker, "a worker is added twice");
  Worker added;
  added.id = worker;
  added.batch.reserve(static_cast<std::size_t>(params_.max_batch));
  workers_.insert(at, std::move(added));
  note_workers();
  settle(now, out);
}

void Flex::on_worker_draining(TimeNs now, WorkerId worker, FlexDecisions& out) {
  Worker& leaving = workers_[index_of(worker)];
  leaving.draining = true;
  give_back_held(leaving);
  if (!leaving.busy) std::erase_if(workers_, [worker](const Worker& one) { return one.id == worker; });
  note_workers();
  settle(now, out);
}

void Flex::on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                           FlexDecisions& out) {
  for (const WorkerId worker : workers) {
    const auto at = std::find_if(workers_.begin(), workers_.end(),
                                 [worker](const Worker& one) { return one.id == worker; });
    if (at == workers_.end()) continue;
    give_back_held(*at);
    workers_.erase(at);
  }
  note_workers();
  for (const Visit& visit : visits) enqueue(now, visit, out);
  settle(now, out);
}

void Flex::on_arrival(TimeNs now, const Visit& visit, FlexDecisions& out) {
  enqueue(now, visit, out);
  settle(now, out);
}

void Flex::on_cancelled(TimeNs now, VisitId visit, FlexDecisions& out) {
  if (queues_.erase(visit)) return;
  const auto is_held = [visit](const FlexVisit& one) { return one.held && one.id == visit; };
  for (Worker& worker : workers_) {
    if (worker.stopping && std::erase_if(worker.batch, is_held) > 0) {
      // A candidate that was too small to replace the held one may be large enough now.
      touch_all();
      settle(now, out);
      return;
    }
  }
  HARNESS_CHECK(false, "a cancelled visit is in no queue");
}

void Flex::on_completed(TimeNs now, WorkerId worker, FlexDecisions& out) {
  set_free(workers_[index_of(worker)]);
  settle(now, out);
}

void Flex::on_preempted(TimeNs now, WorkerId worker, std::span<const Visit> visits, FlexDecisions& out) {
  set_free(workers_[index_of(worker)]);
  for (const Visit& visit : visits) enqueue(now, visit, out);
  settle(now, out);
}

std::size_t Flex::index_of(WorkerId worker) const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].id == worker) return i;
  }
  HARNESS_CHECK(false, "a worker is unknown");
}

int Flex::model_of(ModuleId module) const {
  HARNESS_CHECK(module < model_of_.size() && model_of_[module] != kNoModel, "a module is not served here");
  return model_of_[module];
}

/// Sets the threshold, which depends on the number of workers.
void Flex::note_workers() {
  const auto staying =
      std::count_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.draining; });
  const double lambda = params_.lambda_for(static_cast<int>(staying));
  if (lambda == lambda_) return;
  lambda_ = lambda;
  need_.assign(1, 1);
  for (int size = 1; size <= params_.max_batch; ++size) {
    int need = need_.back();
    while (need < lambda * size) ++need;
    need_.push_back(need);
  }
  touch_all();
}

void Flex::enqueue(TimeNs now, const Visit& visit, FlexDecisions& out) {
  const int model = model_of(visit.module);
  if (queues_.hopeless(model, visit.deadline_ns, now)) {
    out.drop(visit.id);
    return;
  }
  queues_.insert(model, {visit.deadline_ns, visit.id});
  touch(model);
}

void Flex::touch(int model) {
  if (std::find(touched_.begin(), touched_.end(), model) == touched_.end()) touched_.push_back(model);
}

void Flex::touch_all() {
  for (int model = 0; model < queues_.models(); ++model) touch(model);
}

void Flex::give_back_held(Worker& worker) {
  for (FlexVisit& visit : worker.batch) {
    if (!visit.held) continue;
    visit.held = false;
    queues_.insert(worker.model, visit);
    touch(worker.model);
  }
  // A draining worker may run on with visits that are not held; its batch no longer matters.
  if (worker.stopping) worker.batch.clear();
}

void Flex::set_free(Worker& worker) {
  give_back_held(worker);
  worker.busy = worker.stopping = false;
  worker.batch.clear();
  if (!worker.draining) return;
  const WorkerId gone = worker.id;
  std::erase_if(workers_, [gone](const Worker& one) { return one.id == gone; });
}

/// Drops, starts and preempts after an event, until nothing is left to decide.
void Flex::settle(TimeNs now, FlexDecisions& out) {
  queues_.expire(now, [&out](VisitId visit) { out.drop(visit); });
  if (start_idle(now, out) && params_.preempt) preempt_for_touched(now, out);
  touched_.clear();
}

/// Returns false if a worker stays idle: then no waiting visit can be served.
bool Flex::start_idle(TimeNs now, FlexDecisions& out) {
  for (Worker& worker : workers_) {
    if (worker.busy) continue;
    int model = 0;
    const FeasibleBatch batch = queues_.largest_of_all(now, model);
    if (batch.size == 0) return false;
    worker.busy = true;
    worker.model = model;
    queues_.take(model, batch, worker.batch);
    out.start(worker.id, modules_[static_cast<std::size_t>(model)], worker.batch);
  }
  return true;
}

/// Algorithm 1, lines 11 to 19. With kSkip only a model that got visits can have a batch that is now large
/// enough: a feasible batch never grows otherwise, and before this event no batch was large enough. With
/// kPrefix all models are looked at.
void Flex::preempt_for_touched(TimeNs now, FlexDecisions& out) {
  if (touched_.empty()) return;
  if (params_.batch == FlexBatch::kPrefix) touch_all();
  while (true) {
    const Candidate candidate = find_candidate(now);
    if (candidate.batch.size == 0) return;
    hold(candidate, out);
  }
}

Flex::Candidate Flex::find_candidate(TimeNs now) {
  std::size_t most_queued = 0;
  for (const int model : touched_) {
    largest_[static_cast<std::size_t>(model)].size = -1;
    most_queued = std::max(most_queued, queues_.visits(model).size());
  }
  Candidate found;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Worker& worker = workers_[i];
    if (worker.draining) continue;
    if (found.batch.size > 0 && worker.batch.size() >= workers_[found.worker].batch.size()) continue;
    const int need = need_[worker.batch.size()];
    if (most_queued + worker.batch.size() < static_cast<std::size_t>(need)) continue;  // mostly so
    int model = 0;
    const FeasibleBatch batch = best_for(now, worker, need, model);
    if (batch.size == 0) continue;
    found = {i, model, batch};
    if (params_.target == FlexTarget::kOrder) break;
  }
  return found;
}

/// BATCHGEN(n): returns the largest batch for the worker if it has at least `need` visits. It includes the
/// worker's own visits if the model is the same.
FeasibleBatch Flex::best_for(TimeNs now, const Worker& worker, int need, int& model) {
  FeasibleBatch best;
  for (const int touched : touched_) {
    const std::size_t own = worker.model == touched ? worker.batch.size() : 0;
    if (queues_.visits(touched).size() + own < static_cast<std::size_t>(need)) continue;
    FeasibleBatch batch;
    if (worker.model == touched) {
      batch = queues_.largest_with(touched, now, worker.batch, need);
    } else {
      FeasibleBatch& largest = largest_[static_cast<std::size_t>(touched)];
      if (largest.size < 0) {
        if (!queues_.may_have(touched, now, need)) continue;
        largest = queues_.largest(touched, now);
      }
      batch = largest;
    }
    if (batch.size < need) continue;
    if (batch.size > best.size || (batch.size == best.size && touched < model)) {
      best = batch;
      model = touched;
    }
  }
  return best;
}

/// Puts the candidate in the place of the worker's batch: its queued visits are held for it, and visits that
/// were held before and are not in it go back.
void Flex::hold(const Candidate& candidate, FlexDecisions& out) {
  Worker& worker = workers_[candidate.worker];
  const std::span<const FlexVisit> queued = queues_.visits(candidate.model);
  const std::size_t first = first_due_from(queued, candidate.batch.from_ns);
  const bool same = worker.model == candidate.model;
  std::size_t own = same ? first_due_from(worker.batch, candidate.batch.from_ns) : worker.batch.size();
  std::size_t taken = 0;
  next_.clear();
  while (next_.size() < static_cast<std::size_t>(candidate.batch.size)) {
    const bool from_queue =
        first + taken < queued.size() &&
        (own == worker.batch.size() || queued[first + taken].deadline_ns <= worker.batch[own].deadline_ns);
    if (from_queue) {
      next_.push_back(queued[first + taken++]);
      next_.back().held = true;
    } else {
      next_.push_back(worker.batch[own]);
      worker.batch[own++].held = false;
    }
  }
  queues_.remove(candidate.model, first, taken);
  give_back_held(worker);
  std::swap(worker.batch, next_);
  worker.model = candidate.model;
  if (!worker.stopping) out.preempt(worker.id);
  worker.stopping = true;
}

}  // namespace harness
