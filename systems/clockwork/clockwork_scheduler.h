// Clockwork's controller as the scheduler of a queue domain.
#pragma once

#include <optional>
#include <span>

#include "harness/serving/context.h"
#include "harness/serving/scheduler.h"
#include "systems/clockwork/central_scheduler.h"

namespace harness {

/// Carries events to a CentralScheduler over the modules of the domain. A batch is launched as it is formed,
/// behind the running one too: the schedule-ahead is one batch at most. With commit = late batches are formed
/// for free workers alone.
class ClockworkScheduler final : public Scheduler {
 public:
  /// The context outlives this.
  ClockworkScheduler(const ServingContext& context, GroupId group, const ClockworkParams& params)
      : context_(context), group_(group), params_(params) {}

  /// Groups and caps last as long as the run: only the first plan counts.
  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override { central_->on_worker_added(worker); }
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override {
    central_->on_worker_draining(worker);
  }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    central_->on_workers_lost(now, workers, visits, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    central_->on_arrival(now, visit, out);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions&) override { central_->on_cancelled(visit); }
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    central_->on_worker_free(now, worker, out);
  }
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override {
    central_->on_batch_started(now, batch, out);
  }
  void on_batch_done(TimeNs, const BatchView& batch, Decisions&) override { central_->on_batch_done(batch); }
  void on_timer(TimeNs now, Decisions& out) override { central_->on_timer(now, out); }

 private:
  const ServingContext& context_;
  GroupId group_;
  ClockworkParams params_;
  std::optional<CentralScheduler> central_;
};

}  // namespace harness
