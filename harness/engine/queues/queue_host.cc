#include "harness/engine/queues/queue_host.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"

namespace harness {

QueueHost::QueueHost(QueueId id, GroupId group, std::vector<ModuleId> modules,
                     std::unique_ptr<Scheduler> scheduler, const Environment& environment)
    : environment_(&environment),
      scheduler_(std::move(scheduler)),
      id_(id),
      group_(group),
      modules_(std::move(modules)) {}

void QueueHost::on_plan(TimeNs now, const Plan& plan) {
  limits_.assign(plan.modules.size(), {});
  for (const ModuleId module : modules_)
    limits_[module] = {plan.max_batch(group_, module), plan.modules[module].cores};
  only_limits_ = limits_[modules_.front()];
  scheduler_->on_plan(now, plan, *environment_->decisions);
  carry_out(now);
}

void QueueHost::add_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = (*environment_->workers)[worker];
  newest_worker_ = worker;
  ++workers_;
  state.queue = id_;
  state.life = WorkerState::Life::kServing;
  state.totals.ready_ns = now;
  scheduler_->on_worker_added(now, worker, *environment_->decisions);
  scheduler_->on_worker_free(now, worker, *environment_->decisions);
  carry_out(now);
}

void QueueHost::drain_worker(TimeNs now, WorkerId worker) {
  own_worker(worker).life = WorkerState::Life::kDraining;
  scheduler_->on_worker_draining(now, worker, *environment_->decisions);
  carry_out(now);
  const WorkerState& state = own_worker(worker);
  HARNESS_CHECK(state.forming.empty() || state.next == WorkerState::Next::kLaunched,
                "a draining worker's forming batch was not launched");
}

void QueueHost::lose_workers(TimeNs now, std::span<const WorkerId> workers) {
  std::vector<BatchVisit> joined;
  for (const WorkerId worker : workers) {
    WorkerState& state = own_worker(worker);
    joined.insert(joined.end(), state.forming.begin(), state.forming.end());
    state.forming.clear();
    state.running.clear();
    state.busy = false;
    state.next = WorkerState::Next::kOpen;
    state.preempting = false;
  }
  std::stable_sort(joined.begin(), joined.end(),
                   [](const BatchVisit& a, const BatchVisit& b) { return a.joined_ns < b.joined_ns; });
  scheduler_->on_workers_lost(now, workers, queue_again(now, joined), *environment_->decisions);
  carry_out(now);
}

std::vector<Visit> QueueHost::queue_again(TimeNs now, std::span<const BatchVisit> members) {
  std::vector<Visit> visits;
  for (const BatchVisit& member : members) {
    VisitRecord& record = (*environment_->visits)[member.id];
    if (record.cancelled) {
      environment_->dispatcher->visit_cancelled(now, member.id);
      continue;
    }
    record.state = VisitState::kQueued;
    visits.push_back(record.visit);
  }
  return visits;
}

void QueueHost::withdraw(TimeNs now, VisitId visit) {
  HARNESS_CHECK((*environment_->visits)[visit].state == VisitState::kQueued,
                "a visit is withdrawn that is not queued");
  scheduler_->on_cancelled(now, visit, *environment_->decisions);
  carry_out(now);
}

void QueueHost::batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  const WorkerState& state = own_worker(worker);
  const BatchView view{worker,        state.module, state.started_ns, state.expected_end_ns,
                       state.running, ended_ns};
  scheduler_->on_batch_done(now, view, *environment_->decisions);
  carry_out(now);
}

void QueueHost::batch_preempted(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  WorkerState& state = own_worker(worker);
  const std::vector<BatchVisit> members = std::exchange(state.running, {});
  environment_->accounting->on_visits_queued_again(now, members.size());
  const BatchView view{worker, state.module, state.started_ns, state.expected_end_ns, members, ended_ns};
  scheduler_->on_batch_preempted(now, view, queue_again(now, members), *environment_->decisions);
  carry_out(now);
}

void QueueHost::start_next(TimeNs now, WorkerId worker, TimeNs free_ns) {
  WorkerState& state = own_worker(worker);
  *environment_->freed = {worker, state.next != WorkerState::Next::kOpen, free_ns};
  state.busy = false;
  state.preempting = false;
  if (state.next == WorkerState::Next::kLaunched) {
    start_batch(now, worker);
  } else if (state.life == WorkerState::Life::kServing) {
    scheduler_->on_worker_free(now, worker, *environment_->decisions);
  }
  carry_out(now);
  environment_->freed->worker = kNone;
  HARNESS_CHECK(state.busy || state.next == WorkerState::Next::kOpen,
                "a full batch does not start when its worker is free");
}

void QueueHost::on_state(TimeNs now, ModuleId module, std::span<const double> state) {
  scheduler_->on_state(now, module, state, *environment_->decisions);
  carry_out(now);
}

void QueueHost::on_timer(TimeNs now) {
  scheduler_->on_timer(now, *environment_->decisions);
  carry_out(now);
}

void QueueHost::carry_out_all(TimeNs now) {
  Decisions& out = *environment_->decisions;
  // Starting a batch calls the scheduler again, which appends to the list: index, do not iterate.
  for (std::size_t i = 0; i < out.list().size(); ++i) {
    const Decision& decision = out.list()[i];
    switch (decision.kind) {
      case Decision::Kind::kJoin:
        i += join(now, out.list().subspan(i)) - 1;
        break;
      case Decision::Kind::kLaunch:
        launch(now, decision.worker_or_count);
        break;
      case Decision::Kind::kDrop:
        drop(now, decision);
        break;
      case Decision::Kind::kPreempt:
        preempt(now, decision.worker_or_count);
        break;
      case Decision::Kind::kWakeAt:
        environment_->runtime->wake_at(id_, decision.at_ns < now ? now : decision.at_ns);
        break;
      case Decision::Kind::kReport:
        environment_->accounting->on_exchanged(now, out.values(decision).size(), 1);
        environment_->dispatcher->report(modules_.front(), id_, out.values(decision));
        break;
    }
  }
  out.clear();
}

std::size_t QueueHost::join(TimeNs now, std::span<const Decision> decisions) {
  const WorkerId id = decisions.front().worker_or_count;
  WorkerState& worker = joined_worker(id);
  std::size_t count = 1;
  while (count < decisions.size() && decisions[count].kind == Decision::Kind::kJoin &&
         decisions[count].worker_or_count == id)
    ++count;
  decisions = decisions.first(count);
  SlotTable<VisitRecord>& visits = *environment_->visits;
  if (count > 1) {  // the records lie scattered outside the near caches: fetch them together
    for (const Decision& decision : decisions) visits.prefetch(decision.visit_or_first);
  }
  Fingerprint fingerprint(environment_->accounting->record().fingerprint);
  for (const Decision& decision : decisions) {
    const VisitId visit = decision.visit_or_first;
    HARNESS_CHECK_DECISION(visit < visits.slots(), "a join names no visit");
    VisitRecord& record = visits[visit];
    HARNESS_CHECK_DECISION(record.state == VisitState::kQueued && record.queue == id_,
                           "a join names a visit not queued here");
    add_to_batch(now, id, worker, record, fingerprint);
  }
  environment_->accounting->set_fingerprint(fingerprint);
  return count;
}

void QueueHost::drop(TimeNs now, const Decision& decision) {
  const VisitId visit = decision.visit_or_first;
  HARNESS_CHECK_DECISION(visit < environment_->visits->slots(), "a drop names no visit");
  VisitRecord& record = (*environment_->visits)[visit];
  HARNESS_CHECK_DECISION(record.state == VisitState::kQueued && record.queue == id_,
                         "a drop names a visit not queued here");
  environment_->dispatcher->visit_dropped(now, visit, decision.reason);
}

void QueueHost::launch(TimeNs now, WorkerId worker) {
  WorkerState& state = own_worker(worker);
  HARNESS_CHECK_DECISION(state.next != WorkerState::Next::kLaunched && !state.forming.empty(),
                         "a launch of an empty or closed batch");
  close_batch(WorkerState::Next::kLaunched, worker, state);
  if (!state.busy) start_batch(now, worker);
}

void QueueHost::preempt(TimeNs now, WorkerId worker) {
  WorkerState& state = own_worker(worker);
  HARNESS_CHECK_DECISION(state.busy && !state.preempting,
                         "a preemption of an idle worker, or a second one of a batch");
  HARNESS_CHECK_DECISION(profile(state.module).service == Service::kBatch,
                         "a preemption at a service without batches");
  state.preempting = true;
  environment_->accounting->on_preempt(now, worker);
  environment_->runtime->preempt(worker);
}

void QueueHost::start_batch(TimeNs now, WorkerId worker) {
  WorkerState& state = own_worker(worker);
  state.running.swap(state.forming);
  state.forming.clear();
  state.next = WorkerState::Next::kOpen;
  state.busy = true;
  state.module = state.forming_module;
  const Profile& own = profile(state.module);
  const auto size = static_cast<int>(state.running.size());
  const int cores = limits(state.module).cores;
  const TimeNs latency_ns = cores == 0 ? own.latency(size) : latency_with_cores(own, size, cores);
  const FreedWorker& freed = *environment_->freed;
  state.started_ns = worker == freed.worker ? std::max(freed.free_ns, state.running.back().joined_ns) : now;
  state.ended_ns = kNever;
  state.expected_end_ns = state.started_ns + latency_ns;
  environment_->accounting->on_batch_started(state.started_ns, worker, state.module, state.running);
  if (own.service == Service::kBatch) {
    environment_->runtime->run_batch(worker, latency_ns, handover_ns(worker, state));
  } else {
    start_visit(worker, state);
  }
  const BatchView view{worker, state.module, state.started_ns, state.expected_end_ns, state.running};
  scheduler_->on_batch_started(now, view, *environment_->decisions);
}

TimeNs QueueHost::handover_ns(WorkerId worker, const WorkerState& state) const {
  const TimeNs all_ns = profile(state.module).handover_ns;
  const FreedWorker& freed = *environment_->freed;
  if (worker != freed.worker || all_ns == 0) return all_ns;
  if (freed.was_closed && state.running.back().joined_ns < freed.free_ns) return 0;  // the GPU had it by then
  // Some time has passed since the end.
  return std::max<TimeNs>(all_ns - (state.started_ns - freed.free_ns), 0);
}

void QueueHost::start_visit(WorkerId worker, WorkerState& state) {
  const VisitRecord& record = (*environment_->visits)[state.running.front().id];
  ServiceVisit visit{worker, state.slot, state.module, record.visit.request, {}};
  state.service_gpu_ns = 0;
  const Profile& own = profile(state.module);
  if (own.service == Service::kShared) {
    visit.tokens = environment_->sizes->of(visit.request, state.module);
    const double work = work_ns(own.shared, visit.tokens.input, visit.tokens.output);
    state.service_gpu_ns = static_cast<TimeNs>(work + 0.5);
  }
  environment_->runtime->run_visit(visit);
}

}  // namespace harness
