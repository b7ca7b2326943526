// What a scheduler's calls take on this machine (world.scheduler_cost = measured).
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "harness/serving/scheduler.h"

namespace harness {

/// Sums up what the calls take by a clock that the runtime brings.
struct SchedulerStopwatch {
  std::function<TimeNs()> clock;
  TimeNs spent_ns = 0;
};

/// Passes every call on and adds what it takes to the stopwatch, which outlives it.
class TimedScheduler final : public Scheduler {
 public:
  TimedScheduler(std::unique_ptr<Scheduler> scheduler, SchedulerStopwatch& stopwatch)
      : scheduler_(std::move(scheduler)), stopwatch_(stopwatch) {}

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
  template <class Call>
  void time(Call call);

  std::unique_ptr<Scheduler> scheduler_;
  SchedulerStopwatch& stopwatch_;
};

}  // namespace harness
