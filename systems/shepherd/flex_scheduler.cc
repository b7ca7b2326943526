#include "systems/shepherd/flex_scheduler.h"

#include <utility>

namespace harness {

void FlexScheduler::on_plan(TimeNs, const Plan& plan, Decisions&) {
  if (flex_) return;
  std::vector<FlexModel> models;
  for (const ModuleId module : plan.served_by(group_))
    models.push_back({module, context_.profiles[module], plan.modules[module].max_batch});
  flex_.emplace(params_, models);
}

void FlexScheduler::on_worker_added(TimeNs now, WorkerId worker, Decisions& out) {
  flex_->on_worker_added(now, worker, decided_);
  carry_out(out);
  added_ = worker;
}

void FlexScheduler::on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) {
  if (work_of(worker) == Work::kBatch) work_of(worker) = Work::kLastBatch;
  flex_->on_worker_draining(now, worker, decided_);
  carry_out(out);
}

void FlexScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                    std::span<const Visit> visits, Decisions& out) {
  flex_->on_workers_lost(now, workers, visits, decided_);
  carry_out(out);
}

void FlexScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  flex_->on_arrival(now, visit, decided_);
  carry_out(out);
}

void FlexScheduler::on_cancelled(TimeNs now, VisitId visit, Decisions& out) {
  flex_->on_cancelled(now, visit, decided_);
  carry_out(out);
}

void FlexScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  if (std::exchange(added_, kNone) == worker) return;
  if (std::exchange(work_of(worker), Work::kIdle) == Work::kIdle) return;
  flex_->on_completed(now, worker, decided_);
  carry_out(out);
}

void FlexScheduler::on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) {
  if (work_of(batch.worker) == Work::kLastBatch) on_worker_free(now, batch.worker, out);
}

void FlexScheduler::on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                                       Decisions& out) {
  work_of(batch.worker) = Work::kIdle;
  flex_->on_preempted(now, batch.worker, visits, decided_);
  carry_out(out);
}

FlexScheduler::Work& FlexScheduler::work_of(WorkerId worker) {
  if (work_.size() <= worker) work_.resize(worker + 1, Work::kIdle);
  return work_[worker];
}

void FlexScheduler::carry_out(Decisions& out) {
  for (const FlexDecision& decision : decided_.list()) {
    switch (decision.kind) {
      case FlexDecision::Kind::kStart:
        for (const VisitId visit : decided_.visits(decision)) out.join(decision.worker, visit);
        out.launch(decision.worker);
        work_of(decision.worker) = Work::kBatch;
        break;
      case FlexDecision::Kind::kPreempt:
        out.preempt(decision.worker);
        break;
      case FlexDecision::Kind::kDrop:
        out.drop(decision.visit, DropReason::kEstimatedLate);
        break;
    }
  }
  decided_.clear();
}

}  // namespace harness
