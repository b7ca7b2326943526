// Keeps what reaches the schedulers of a run, and what they decide.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "harness/engine/replay_call.h"

namespace harness {

/// Passes every callback on to another scheduler and writes it to a log with the decisions that this one
/// alone appended (the list may hold earlier ones). Decides nothing.
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

/// The logs of a run's queue domains. Outlives the schedulers that it has wrapped.
class ReplayRecorder {
 public:
  /// Without `wanted` it records nothing and costs nothing.
  explicit ReplayRecorder(bool wanted) : wanted_(wanted) {}
  /// The scheduler, with a recorder around it if recording is wanted.
  std::unique_ptr<Scheduler> wrap(std::unique_ptr<Scheduler> scheduler, DomainId domain, GroupId group);
  /// Hands over all logs, in order of domain; the schedulers may not be called any more.
  std::vector<ReplayLog> take();

 private:
  bool wanted_;
  std::deque<ReplayLog> logs_;
};

}  // namespace harness
