// A scheduler that records what reaches another one, and what that one decides.
#pragma once

#include <memory>
#include <span>

#include "harness/engine/replay/replay_call.h"
#include "harness/engine/replay/replay_code.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// Passes every callback on to another scheduler and writes it to a log, with the decisions that the other
/// one alone appended (the list may hold earlier ones). It decides nothing itself.
class RecordingScheduler final : public Scheduler {
 public:
  /// `log` is empty and outlives this.
  RecordingScheduler(std::unique_ptr<Scheduler> scheduler, ReplayLog& log);

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override;
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override;
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override;
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                          Decisions& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Decisions& out) override;
  void on_timer(TimeNs now, Decisions& out) override;

 private:
  void pass_on(ReplayCall::Kind kind, TimeNs now, Decisions& out);
  void pass_on(ReplayCall::Kind kind, TimeNs now, WorkerId worker, Decisions& out);
  void pass_on(ReplayCall::Kind kind, TimeNs now, const BatchView& batch, Decisions& out);

  std::unique_ptr<Scheduler> scheduler_;
  ReplayWriter writer_;
  ReplayCall call_;
};

}  // namespace harness
