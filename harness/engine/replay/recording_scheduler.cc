#include "harness/engine/replay/recording_scheduler.h"

#include <utility>

namespace harness {

using Kind = ReplayCall::Kind;

RecordingScheduler::RecordingScheduler(std::unique_ptr<Scheduler> scheduler, ReplayLog& log)
    : scheduler_(std::move(scheduler)), writer_(log) {}

// The scheduler gets what the log holds: a field that the log lacks would show at once.
void RecordingScheduler::pass_on(Kind kind, TimeNs now, Decisions& out) {
  const std::size_t first = out.list().size();
  call_.kind = kind;
  call_.now = now;
  deliver(call_, *scheduler_, out);
  writer_.write(call_, out, first);
}

void RecordingScheduler::pass_on(Kind kind, TimeNs now, WorkerId worker, Decisions& out) {
  call_.worker = worker;
  pass_on(kind, now, out);
}

void RecordingScheduler::pass_on(Kind kind, TimeNs now, const BatchView& batch, Decisions& out) {
  call_.module = batch.module;
  call_.started_ns = batch.started_ns;
  call_.expected_end_ns = batch.expected_end_ns;
  call_.ended_ns = batch.ended_ns;
  call_.visits.assign(batch.visits.begin(), batch.visits.end());
  pass_on(kind, now, batch.worker, out);
}

void RecordingScheduler::on_plan(TimeNs now, const Plan& plan, Decisions& out) {
  call_.plan = plan;
  pass_on(Kind::kPlan, now, out);
}

void RecordingScheduler::on_worker_added(TimeNs now, WorkerId worker, Decisions& out) {
  pass_on(Kind::kWorkerAdded, now, worker, out);
}

void RecordingScheduler::on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) {
  pass_on(Kind::kWorkerDraining, now, worker, out);
}

void RecordingScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                         std::span<const Visit> visits, Decisions& out) {
  call_.workers.assign(workers.begin(), workers.end());
  call_.lost.assign(visits.begin(), visits.end());
  pass_on(Kind::kWorkersLost, now, out);
}

void RecordingScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  call_.visit = visit;
  pass_on(Kind::kArrival, now, out);
}

void RecordingScheduler::on_cancelled(TimeNs now, VisitId visit, Decisions& out) {
  call_.cancelled = visit;
  pass_on(Kind::kCancelled, now, out);
}

void RecordingScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  pass_on(Kind::kWorkerFree, now, worker, out);
}

void RecordingScheduler::on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) {
  pass_on(Kind::kBatchStarted, now, batch, out);
}

void RecordingScheduler::on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) {
  pass_on(Kind::kBatchDone, now, batch, out);
}

void RecordingScheduler::on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                                            Decisions& out) {
  call_.lost.assign(visits.begin(), visits.end());
  pass_on(Kind::kBatchPreempted, now, batch, out);
}

void RecordingScheduler::on_state(TimeNs now, ModuleId module, std::span<const double> state,
                                  Decisions& out) {
  call_.module = module;
  call_.values.assign(state.begin(), state.end());
  pass_on(Kind::kState, now, out);
}

void RecordingScheduler::on_timer(TimeNs now, Decisions& out) { pass_on(Kind::kTimer, now, out); }

}  // namespace harness
