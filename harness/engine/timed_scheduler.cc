#include "harness/engine/timed_scheduler.h"

namespace harness {

template <class Call>
void TimedScheduler::time(Call call) {
  const TimeNs began_ns = stopwatch_.clock();
  call();
  stopwatch_.spent_ns += stopwatch_.clock() - began_ns;
}

void TimedScheduler::on_plan(TimeNs now, const Plan& plan, Decisions& out) {
  time([&] { scheduler_->on_plan(now, plan, out); });
}

void TimedScheduler::on_worker_added(TimeNs now, WorkerId worker, Decisions& out) {
  time([&] { scheduler_->on_worker_added(now, worker, out); });
}

void TimedScheduler::on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) {
  time([&] { scheduler_->on_worker_draining(now, worker, out); });
}

void TimedScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                     std::span<const Visit> visits, Decisions& out) {
  time([&] { scheduler_->on_workers_lost(now, workers, visits, out); });
}

void TimedScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  time([&] { scheduler_->on_arrival(now, visit, out); });
}

void TimedScheduler::on_cancelled(TimeNs now, VisitId visit, Decisions& out) {
  time([&] { scheduler_->on_cancelled(now, visit, out); });
}

void TimedScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  time([&] { scheduler_->on_worker_free(now, worker, out); });
}

void TimedScheduler::on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) {
  time([&] { scheduler_->on_batch_started(now, batch, out); });
}

void TimedScheduler::on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) {
  time([&] { scheduler_->on_batch_done(now, batch, out); });
}

void TimedScheduler::on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                                        Decisions& out) {
  time([&] { scheduler_->on_batch_preempted(now, batch, visits, out); });
}

void TimedScheduler::on_state(TimeNs now, ModuleId module, std::span<const double> state, Decisions& out) {
  time([&] { scheduler_->on_state(now, module, state, out); });
}

void TimedScheduler::on_timer(TimeNs now, Decisions& out) {
  time([&] { scheduler_->on_timer(now, out); });
}

}  // namespace harness
