#include "harness/engine/queues/domain_group.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/error.h"
#include "harness/engine/accounting/slot_table.h"

namespace harness {

DomainGroup::DomainGroup(const RunSpec& spec, const ServingContext& context, Workers& workers,
                         ToDispatcher& to_dispatcher, EngineTables& tables, Books& books)
    : spec_(spec),
      context_(context),
      to_dispatcher_(to_dispatcher),
      tables_(tables),
      books_(books),
      environment_{&tables.visits, &tables.workers, &books,        &workers,
                   &to_dispatcher, &decisions_,     context.sizes, spec.profiles},
      replay_(spec.record_replay) {}

void DomainGroup::set_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  for (auto& host : hosts_) {
    if (host != nullptr) host->on_plan(now, plan_);
  }
}

void DomainGroup::open_domain(TimeNs now, DomainId domain, GroupId group) {
  if (hosts_.size() <= domain) hosts_.resize(domain + 1);
  auto scheduler = spec_.system->make_scheduler(context_, domain, group);
  scheduler = replay_.wrap(std::move(scheduler), domain, group);
  hosts_[domain] = std::make_unique<QueueDomainHost>(domain, group, plan_.served_by(group),
                                                     std::move(scheduler), environment_);
  hosts_[domain]->on_plan(now, plan_);
}

void DomainGroup::add_worker(TimeNs now, DomainId domain, WorkerId worker) {
  hosts_[domain]->add_worker(now, worker);
}

void DomainGroup::drain_worker(TimeNs now, WorkerId worker, bool closes) {
  QueueDomainHost& host = *hosts_[tables_.workers[worker].domain];
  host.drain_worker(now, worker);
  if (closes) {
    host.close();
    return_queue(now, host);
  }
  if (!tables_.workers[worker].busy) remove_worker(now, worker);
}

void DomainGroup::lose_workers(TimeNs now, DomainId domain, std::span<const WorkerId> workers, bool closes) {
  QueueDomainHost* const host = host_of(domain);
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
  if (lost.empty() && host->is_empty()) hosts_[domain].reset();
}

void DomainGroup::turn_away(TimeNs now, VisitId visit) {
  VisitRecord& record = tables_.visits[visit];
  if (!record.cancelled) {
    to_dispatcher_.visits_returned(now, record.visit.module, {&visit, 1});
    return;
  }
  books_.on_reached(now, record);
  to_dispatcher_.visit_cancelled(now, visit);
}

void DomainGroup::return_queue(TimeNs now, QueueDomainHost& host) {
  const SlotTable<VisitRecord>& visits = tables_.visits;
  std::vector<VisitId> queued;
  for (VisitId visit = 0; visit < visits.slots(); ++visit) {
    const VisitRecord& record = visits[visit];
    if (record.state == VisitState::kQueued && record.domain == host.id()) queued.push_back(visit);
  }
  std::sort(queued.begin(), queued.end(), [&visits](VisitId a, VisitId b) {
    const Visit& left = visits[a].visit;
    const Visit& right = visits[b].visit;
    return left.due_ns != right.due_ns ? left.due_ns < right.due_ns : left.request < right.request;
  });
  for (const VisitId visit : queued) host.withdraw(now, visit);
  // To each module's router those of that module, in order.
  std::vector<VisitId> own;
  for (const ModuleId module : host.modules()) {
    own.clear();
    std::copy_if(queued.begin(), queued.end(), std::back_inserter(own),
                 [&](VisitId visit) { return visits[visit].visit.module == module; });
    if (!own.empty()) to_dispatcher_.visits_returned(now, module, own);
  }
}

void DomainGroup::remove_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kGone;
  QueueDomainHost& host = *hosts_[state.domain];
  host.remove_worker();
  if (host.is_empty()) hosts_[state.domain].reset();
  to_dispatcher_.worker_gone(now, worker);
}

void DomainGroup::on_cancellation(TimeNs now, const Cancellation& cancellation) {
  if (cancellation.visit >= tables_.visits.slots()) return;
  VisitRecord& record = tables_.visits[cancellation.visit];
  const bool same = record.visit.request == cancellation.request && record.index == cancellation.index;
  if (!same) return;
  if (record.state != VisitState::kQueued) {
    record.cancelled = true;
    return;
  }
  hosts_[record.domain]->withdraw(now, cancellation.visit);
  to_dispatcher_.visit_cancelled(now, cancellation.visit);
}

void DomainGroup::on_batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kGone) [[unlikely]] {
    return;
  }
  QueueDomainHost& host = *hosts_[state.domain];
  host.batch_done(now, worker, ended_ns);
  to_dispatcher_.batch_done(ended_ns, worker, state);
  host.start_next(now, worker);
  if (state.life == WorkerState::Life::kDraining && !state.busy) remove_worker(now, worker);
}

void DomainGroup::on_batch_preempted(TimeNs now, WorkerId worker, TimeNs ended_ns) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kGone) return;
  QueueDomainHost& host = *hosts_[state.domain];
  to_dispatcher_.batch_preempted(ended_ns, worker, state);
  host.batch_preempted(now, worker, ended_ns);
  if (host.closed()) return_queue(now, host);
  host.start_next(now, worker);
  if (state.life == WorkerState::Life::kDraining && !state.busy) remove_worker(now, worker);
}

void DomainGroup::on_timer(TimeNs now, DomainId domain) {
  if (QueueDomainHost* host = host_of(domain)) host->on_timer(now);
}

void DomainGroup::on_publication(TimeNs now, ModuleId module, std::span<const double> state,
                                 std::span<const DomainId> except) {
  for (const auto& host : hosts_) {
    if (host == nullptr || host->closed()) continue;
    const std::vector<ModuleId>& own = host->modules();
    if (std::find(own.begin(), own.end(), module) == own.end()) continue;
    if (std::find(except.begin(), except.end(), host->id()) == except.end())
      host->on_state(now, module, state);
  }
}

void DomainGroup::on_publication_at(TimeNs now, DomainId domain, ModuleId module,
                                    std::span<const double> state) {
  QueueDomainHost* const host = host_of(domain);
  if (host != nullptr && !host->closed()) host->on_state(now, module, state);
}

void DomainGroup::prefetch(std::span<const Delivery> deliveries) const {
  if (deliveries.size() < 2) return;
  for (const Delivery& delivery : deliveries) prefetch_object(hosts_[delivery.domain].get());
  for (const Delivery& delivery : deliveries) {
    if (const QueueDomainHost* host = hosts_[delivery.domain].get()) host->prefetch();
  }
}

void DomainGroup::prefetch_worker(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  prefetch_span(state.running.data(), state.running.size());
}

void DomainGroup::prefetch_host(WorkerId worker) const {
  const DomainId domain = tables_.workers[worker].domain;
  if (domain != kNone) prefetch_object(hosts_[domain].get());
}

}  // namespace harness
