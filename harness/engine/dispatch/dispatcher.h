// The dispatcher of a run. It runs the life cycle of the requests, holds the modules' routers and controllers
// and the planner, and manages the workers as the plans say. All runtimes use the same object code; in a live
// run it is on rank 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/load_meter.h"
#include "harness/engine/dispatch/module_meter.h"
#include "harness/engine/dispatch/module_queues.h"
#include "harness/engine/dispatch/request_flow.h"
#include "harness/engine/dispatch/worker_manager.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/to_queues.h"
#include "harness/engine/worker_state.h"
#include "harness/serving/load_statistics.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"

namespace harness {

/// The dispatcher of a run. The runtime feeds it events with their times. Each call ends before the next one
/// begins, but the queues may answer what it sends them at once, during the call. Single-threaded.
class Dispatcher {
 public:
  /// Makes the routers, the controllers and the initial plan. All arguments outlive the dispatcher.
  Dispatcher(const RunSpec& spec, const ServingContext& context, ToQueues& queues, EngineTables& tables,
             Accounting& accounting);
  ~Dispatcher();

  /// Starts the run at `now`: sends the plan to the queues, then opens queues and starts workers.
  void start(TimeNs now);

  /// Sends a request of that stream. It is due `now` and leaves `schedule_lag_ns` later.
  void on_request(TimeNs now, StreamId stream, TimeNs schedule_lag_ns = 0) {
    load_.on_request(now, stream);
    flow_.send(now, stream, schedule_lag_ns);
  }
  /// Ends all requests that are still under way, as unfinished; no more messages about them will come.
  void give_up(TimeNs now) { flow_.give_up(now); }
  // Messages of the queues (ToDispatcher).
  void on_batch_done(TimeNs now, WorkerId worker, const WorkerState& state) {
    on_late_batch_done(now, worker, state, now);
  }
  void on_batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) {
    count_busy(worker, state, now);
    accounting_.on_batch_preempted(now, state.module, state.gpu_time_ns(now));
  }
  void on_batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) {
    count_busy(worker, state, state.end_ns(now));
    flow_.fail_batch(now, worker, state, state.end_ns(now), DropReason::kWorkerLost);
  }
  void on_visit_dropped(TimeNs now, VisitId visit, DropReason reason) { flow_.drop(now, visit, reason); }
  void on_visit_cancelled(TimeNs now, VisitId visit) { flow_.on_cancelled(now, visit); }
  void on_visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) {
    flow_.reroute(now, module, visits);
  }
  void on_worker_gone(TimeNs now, WorkerId worker) { worker_manager_.on_worker_gone(now, worker); }

  // Effects of faulty links on messages (ActiveFaults).
  /// Handles a batch that ended at `ended_ns` and whose message arrives now.
  void on_late_batch_done(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns) {
    count_batch(worker, state, ended_ns);
    if (meter_) [[unlikely]]
      meter_->on_batch_done(state);
    flow_.on_batch_done(now, worker, state, ended_ns);
  }
  /// Handles a batch that has ended and whose message is lost, as is known from now on.
  void on_batch_unheard(TimeNs now, WorkerId worker, const WorkerState& state) {
    count_batch(worker, state, state.end_ns(now));
    flow_.fail_batch(now, worker, state, state.end_ns(now), DropReason::kMessageLost);
  }
  /// Handles a visit that is lost on its way to its queue.
  void on_delivery_lost(TimeNs now, VisitId visit) {
    flow_.end_on_the_way(now, visit, DropReason::kMessageLost);
  }

  void on_fault(TimeNs now, const Fault& fault, bool begins) { worker_manager_.on_fault(now, fault, begins); }
  /// Returns the place of the queue: the GPU of its first worker.
  std::uint32_t gpu_of(QueueId queue) const { return worker_manager_.gpu_of(queue); }
  /// Returns the sum of Router::rerouted() over all routers. Returns -1 if no router ever reroutes, or if the
  /// run has a warm-up, whose visits are not counted.
  std::int64_t rerouted_visits() const;
  const std::vector<QueueView>& open_queues(ModuleId module) const { return queues_[module].views; }
  /// True if ToQueues::acknowledge is called for visits that leave the group's queues.
  bool counts_outstanding(GroupId group) const {
    const ModuleId module = plan_.served_by(group).front();
    return queues_[spec_.pipeline.task_of(module)].counts_outstanding;
  }

  void on_report(TimeNs now, ModuleId module, QueueId queue, std::span<const double> values);
  /// Called when a module's published state has reached the controllers of the others.
  void on_publication(TimeNs now, ModuleId module, std::span<const double> state);
  void on_acknowledgement(ModuleId module, QueueId queue, int count);
  void on_worker_ready(TimeNs now, WorkerId worker) { worker_manager_.on_worker_ready(now, worker); }
  /// Called when a state period is over: the controllers publish.
  void on_period(TimeNs now);
  /// Called when a planning period is over: returns its load (LoadMeter::take).
  LoadStatistics take_load(TimeNs now, std::span<const std::uint64_t> arrived) {
    LoadStatistics load = load_.take(now, arrived);
    if (meter_) load.modules = meter_->take(now, arrived, plan_);
    return load;
  }
  /// Computes the next plan from `load`; the runtime applies it later, in order. This call shares no changing
  /// data with the other calls, so it may run in another thread beside them: one call at a time, in the order
  /// of the loads.
  Plan compute_plan(TimeNs now, const LoadStatistics& load);
  /// Scales groups up and down to `plan` and tells queues, routers and controllers.
  void apply_plan(TimeNs now, const Plan& plan);
  /// Returns when to compute the plan that follows the one of `at_ns` (0: the first plan); kNever if none
  /// follows, as far as the requests that are live now can tell.
  TimeNs next_planning_ns(TimeNs at_ns) const;

  bool has_controllers() const { return !controllers_.empty(); }
  const Plan& plan() const { return plan_; }
  std::uint32_t live_requests() const { return flow_.live_requests(); }
  /// Does the same as RequestFlow::visit_at.
  VisitId visit_at(std::uint32_t request_slot, ModuleId module) const {
    return flow_.visit_at(request_slot, module);
  }

 private:
  /// Counts the time of what ran on the worker and ended or stopped at `ended_ns`.
  void count_busy(WorkerId worker, const WorkerState& state, TimeNs ended_ns) {
    WorkerTotals& totals = tables_.workers[worker].totals;
    const TimeNs from_ns = std::max(state.started_ns, spec_.measured_from_ns);
    totals.busy_ns += std::max<TimeNs>(ended_ns - from_ns, 0);
    totals.gpu_ns += state.gpu_time_ns(ended_ns);
    if (meter_) [[unlikely]]
      meter_->on_stopped(state, ended_ns);
  }
  /// Counts a batch that ran to its end at `ended_ns`.
  void count_batch(WorkerId worker, const WorkerState& state, TimeNs ended_ns) {
    count_busy(worker, state, ended_ns);
    if (ended_ns < spec_.measured_from_ns) return;
    ++tables_.workers[worker].totals.batches;
    tables_.workers[worker].totals.visits += state.running.size();
  }
  /// Sends what the module's controller wants published.
  void publish(TimeNs now, ModuleId module);
  /// Tells everybody about plan_.
  void announce_plan(TimeNs now);

  const RunSpec& spec_;
  const ServingContext& context_;
  ToQueues& to_queues_;
  EngineTables& tables_;
  Accounting& accounting_;
  std::vector<ModuleQueues> queues_;
  RequestFlow flow_;
  std::unique_ptr<Planner> planner_;
  TimeNs period_ns_;  ///< period of the system's own planning; 0: none
  Plan plan_;
  Plan computed_;  ///< plan that compute_plan made last, perhaps not in force yet
  std::vector<std::unique_ptr<Controller>> controllers_;  ///< controllers; empty, or one per module
  Publication publication_;
  LoadMeter load_;
  std::optional<ModuleMeter> meter_;  ///< meter for systems that ask for module statistics
  WorkerManager worker_manager_;
};

}  // namespace harness
