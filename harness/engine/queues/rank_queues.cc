#include "harness/engine/queues/rank_queues.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/engine/accounting/prefetch.h"

namespace harness {

RankQueues::RankQueues(const RunSpec& spec, const ServingContext& context, Workers& workers,
                       ToDispatcher& to_dispatcher, EngineTables& tables, Accounting& accounting)
    : spec_(spec),
      context_(context),
      to_dispatcher_(to_dispatcher),
      tables_(tables),
      accounting_(accounting),
      environment_{&tables.visits, &tables.workers, &accounting,   &workers,     &to_dispatcher,
                   &decisions_,    &freed_,         context.sizes, spec.profiles},
      replay_(spec.record_replay) {}

void RankQueues::set_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  for (auto& host : hosts_) {
    if (host != nullptr) host->on_plan(now, plan_);
  }
}

void RankQueues::open_queue(TimeNs now, QueueId queue, GroupId group) {
  if (hosts_.size() <= queue) hosts_.resize(queue + 1);
  auto scheduler = spec_.system->make_scheduler(context_, queue, group);
  scheduler = replay_.wrap(std::move(scheduler), queue, group);
  hosts_[queue] =
      std::make_unique<QueueHost>(queue, group, plan_.served_by(group), std::move(scheduler), environment_);
  hosts_[queue]->on_plan(now, plan_);
}

void RankQueues::add_worker(TimeNs now, QueueId queue, WorkerId worker) {
  hosts_[queue]->add_worker(now, worker);
}

void RankQueues::drain_worker(TimeNs now, WorkerId worker, bool closes) {
  QueueHost& host = *hosts_[tables_.workers[worker].queue];
  host.drain_worker(now, worker);
  if (closes) {
    host.close();
    return_queue(now, host);
  }
  if (!tables_.workers[worker].busy) remove_worker(now, worker);
}

void RankQueues::lose_workers(TimeNs now, QueueId queue, std::span<const WorkerId> workers, bool closes) {
  QueueHost* const host = host_of(queue);
  std::vector<WorkerId> lost;
  for (const WorkerId worker : workers) {
    WorkerState& state = tables_.workers[worker];
    if (state.life == WorkerState::Life::kGone) continue;
    lost.push_back(worker);
    if (state.busy) to_dispatcher_.batch_lost(now, worker, state);
  }
  if (host == nullptr) return;
  if (!lost.empty()) host->lose_workers(now, lost);
  if (closes) {
    host->close();
    return_queue(now, *host);
  }
  for (const WorkerId worker : lost) remove_worker(now, worker);
  if (lost.empty() && host->is_empty()) hosts_[queue].reset();
}

void RankQueues::on_deliveries(TimeNs now, std::span<const Delivery> deliveries) {
  for (const Delivery& delivery : deliveries) {
    QueueHost* const host = host_of(delivery.queue);
    VisitRecord& record = tables_.visits[delivery.visit];
    if (record.cancelled || host == nullptr || host->closed()) [[unlikely]] {
      turn_away(now, delivery.visit);
    } else {
      host->arrive(now, record);
    }
  }
}

void RankQueues::turn_away(TimeNs now, VisitId visit) {
  VisitRecord& record = tables_.visits[visit];
  if (!record.cancelled) {
    to_dispatcher_.visits_returned(now, record.visit.module, {&visit, 1});
    return;
  }
  accounting_.on_reached(now, record);
  to_dispatcher_.visit_cancelled(now, visit);
}

void RankQueues::return_queue(TimeNs now, QueueHost& host) {
  const SlotTable<VisitRecord>& visits = tables_.visits;
  const auto waits_here = [&](VisitId visit) {
    return visits[visit].state == VisitState::kQueued && visits[visit].queue == host.id();
  };
  std::vector<VisitId> queued;
  for (VisitId visit = 0; visit < visits.slots(); ++visit) {
    if (waits_here(visit)) queued.push_back(visit);
  }
  std::sort(queued.begin(), queued.end(), [&visits](VisitId a, VisitId b) {
    const Visit& left = visits[a].visit;
    const Visit& right = visits[b].visit;
    return left.deadline_ns != right.deadline_ns ? left.deadline_ns < right.deadline_ns
                                                 : left.request < right.request;
  });
  for (const VisitId visit : queued) {
    if (waits_here(visit)) host.withdraw(now, visit);  // a scheduler may drop one when another leaves
  }
  std::erase_if(queued, [&](VisitId visit) { return !waits_here(visit); });
  // Each module's router gets the visits of that module, in order.
  std::vector<VisitId> own;
  for (const ModuleId module : host.modules()) {
    own.clear();
    std::copy_if(queued.begin(), queued.end(), std::back_inserter(own),
                 [&](VisitId visit) { return visits[visit].visit.module == module; });
    if (!own.empty()) to_dispatcher_.visits_returned(now, module, own);
  }
}

void RankQueues::remove_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kGone;
  QueueHost& host = *hosts_[state.queue];
  host.remove_worker();
  if (host.is_empty()) hosts_[state.queue].reset();
  to_dispatcher_.worker_gone(now, worker);
}

void RankQueues::on_cancellation(TimeNs now, const Cancellation& cancellation) {
  if (cancellation.visit >= tables_.visits.slots()) return;
  VisitRecord& record = tables_.visits[cancellation.visit];
  const bool same = record.visit.request == cancellation.request && record.index == cancellation.index;
  if (!same) return;
  if (record.state != VisitState::kQueued) {
    record.cancelled = true;
    return;
  }
  hosts_[record.queue]->withdraw(now, cancellation.visit);
  to_dispatcher_.visit_cancelled(now, cancellation.visit);
}

void RankQueues::on_batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kGone) [[unlikely]] {
    return;
  }
  QueueHost& host = *hosts_[state.queue];
  host.batch_done(now, worker, ended_ns);
  to_dispatcher_.batch_done(ended_ns, worker, state);
  host.start_next(now, worker, starts_on_time_ ? ended_ns : now);
  if (state.life == WorkerState::Life::kDraining && !state.busy) remove_worker(now, worker);
}

void RankQueues::on_batch_preempted(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kGone) return;
  QueueHost& host = *hosts_[state.queue];
  to_dispatcher_.batch_preempted(ended_ns, worker, state);
  host.batch_preempted(now, worker, ended_ns);
  if (host.closed()) return_queue(now, host);
  host.start_next(now, worker, starts_on_time_ ? ended_ns : now);
  if (state.life == WorkerState::Life::kDraining && !state.busy) remove_worker(now, worker);
}

void RankQueues::on_timer(TimeNs now, QueueId queue) {
  if (QueueHost* host = host_of(queue)) host->on_timer(now);
}

void RankQueues::on_publication(TimeNs now, ModuleId module, std::span<const double> state,
                                std::span<const QueueId> except) {
  for (const auto& host : hosts_) {
    if (host == nullptr || host->closed()) continue;
    const std::vector<ModuleId>& own = host->modules();
    if (std::find(own.begin(), own.end(), module) == own.end()) continue;
    if (std::find(except.begin(), except.end(), host->id()) == except.end())
      host->on_state(now, module, state);
  }
}

void RankQueues::on_publication_at(TimeNs now, QueueId queue, ModuleId module,
                                   std::span<const double> state) {
  QueueHost* const host = host_of(queue);
  if (host != nullptr && !host->closed()) host->on_state(now, module, state);
}

void RankQueues::prefetch(std::span<const Delivery> deliveries) const {
  if (deliveries.size() < 2) return;
  for (const Delivery& delivery : deliveries) prefetch_object(hosts_[delivery.queue].get());
  for (const Delivery& delivery : deliveries) {
    if (const QueueHost* host = hosts_[delivery.queue].get()) host->prefetch();
  }
}

void RankQueues::prefetch_batch(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  prefetch_span(state.running.data(), state.running.size());
  if (const QueueHost* const host = host_of(state.queue)) prefetch_object(host);
}

void RankQueues::prefetch_visits(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  for (const BatchVisit& member : state.running) prefetch_object(&tables_.visits[member.id]);
  if (const QueueHost* const host = host_of(state.queue)) host->prefetch();
}

}  // namespace harness
