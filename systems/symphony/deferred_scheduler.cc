#include "systems/symphony/deferred_scheduler.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {

DeferredScheduler::DeferredScheduler(const SymphonyParams& params, std::span<const SymphonyModel> models)
    : params_(params) {
  HARNESS_CHECK(!models.empty(), "Symphony serves at least one model");
  for (const SymphonyModel& model : models) {
    if (model.module >= model_of_.size()) model_of_.resize(model.module + std::size_t{1}, kNone);
    model_of_[model.module] = static_cast<std::uint32_t>(models_.size());
    models_.emplace_back(params, SymphonyLatency(*model.profile, model.max_batch), model.slo_ns);
  }
}

void DeferredScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  idle_.set(worker, params_.gpu == SymphonyGpu::kIdleLongest ? noted(now) : Noted{});
  settle(now, out);
}

void DeferredScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                        std::span<const Visit> visits, Decisions& out) {
  for (const WorkerId worker : workers) idle_.erase(worker);
  for (const Visit& visit : visits) {
    const std::uint32_t model = place(visit);
    models_[model].insert({visit.deadline_ns, visit.id});
    renew(now, model, out);
  }
  settle(now, out);
}

void DeferredScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  const std::uint32_t model = place(visit);
  models_[model].arrive(now, {visit.deadline_ns, visit.id});
  renew(now, model, out);
  settle(now, out);
}

void DeferredScheduler::on_cancelled(TimeNs now, VisitId visit, Decisions& out) {
  HARNESS_CHECK(visit < places_.size() && places_[visit].model != kNone, "a cancelled visit is in no queue");
  const std::uint32_t model = places_[visit].model;
  models_[model].erase({places_[visit].deadline_ns, visit});
  leave(visit);
  renew(now, model, out);
  settle(now, out);
}

void DeferredScheduler::on_timer(TimeNs now, Decisions& out) {
  wake_ns_ = kNever;
  settle(now, out);
}

std::uint32_t DeferredScheduler::model_of(ModuleId module) const {
  HARNESS_CHECK(module < model_of_.size() && model_of_[module] != kNone, "a module is not served here");
  return model_of_[module];
}

/// Notes the place at which the visit waits. Returns its model.
std::uint32_t DeferredScheduler::place(const Visit& visit) {
  const std::uint32_t model = model_of(visit.module);
  if (visit.id >= places_.size()) places_.resize(std::max<std::size_t>(visit.id + 1, 2 * places_.size()));
  places_[visit.id] = {visit.deadline_ns, model};
  return model;
}

void DeferredScheduler::leave(VisitId visit) { places_[visit].model = kNone; }

void DeferredScheduler::update(TimeNs now, std::uint32_t model, Decisions& out) {
  models_[model].update(now, [&](VisitId visit, bool is_late) {
    leave(visit);
    out.drop(visit, is_late ? DropReason::kEstimatedLate : DropReason::kEarlyDrop);
  });
}

/// Computes the model's candidate anew, and plans it.
void DeferredScheduler::renew(TimeNs now, std::uint32_t model, Decisions& out) {
  update(now, model, out);
  pending_.erase(model);
  const CandidateQueue::Candidate& candidate = models_[model].candidate();
  if (candidate.size == 0) {
    planned_.erase(model);
  } else {
    planned_.set(model, candidate.start_ns);
  }
}

void DeferredScheduler::settle(TimeNs now, Decisions& out) {
  while (step(now, out)) {
  }
  wake(out);
}

/// Does the first thing to do at this instant. Returns false if there is nothing to do.
bool DeferredScheduler::step(TimeNs now, Decisions& out) {
  if (!pending_.empty() && pending_.first_key().first < now) {
    renew(now, pending_.first(), out);
  } else if (!pending_.empty() && !idle_.empty()) {
    grant(now, pending_.first(), out);
  } else if (!planned_.empty() && planned_.first_key() <= now) {
    const std::uint32_t model = planned_.first();
    planned_.erase(model);
    pending_.set(model, noted(models_[model].candidate().latest_ns));
  } else {
    return false;
  }
  return true;
}

/// Has the first idle worker run the model's candidate.
void DeferredScheduler::grant(TimeNs now, std::uint32_t model, Decisions& out) {
  update(now, model, out);
  CandidateQueue& queue = models_[model];
  if (queue.candidate().start_ns <= now && queue.candidate().size > 0) {
    const WorkerId worker = idle_.first();
    idle_.erase(worker);
    for (const CandidateQueue::WaitingVisit& visit : queue.batch()) {
      leave(visit.id);
      out.join(worker, visit.id);
    }
    out.launch(worker);
    queue.take();
  }
  renew(now, model, out);
}

/// Asks to be called when the next candidate is to start, or would end late.
void DeferredScheduler::wake(Decisions& out) {
  const TimeNs start_ns = planned_.empty() ? kNever : planned_.first_key();
  const TimeNs late_ns = pending_.empty() ? kNever : pending_.first_key().first + 1;
  const TimeNs at_ns = std::min(start_ns, late_ns);
  if (at_ns >= wake_ns_) return;
  wake_ns_ = at_ns;
  out.wake_at(at_ns);
}

}  // namespace harness
