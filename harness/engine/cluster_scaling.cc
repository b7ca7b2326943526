// The part of Cluster that makes plans and changes workers and domains to follow them.
#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/engine/cluster.h"

namespace harness {

Plan Cluster::compute_plan(TimeNs now) {
  LoadStatistics load;
  load.module_rps.resize(domains_.size());
  const double seconds = ns_to_s(now - planned_at_ns_);
  for (std::size_t m = 0; m < domains_.size(); ++m) {
    const std::uint64_t arrived = books_.record().modules[m].arrived;
    load.module_rps[m] = static_cast<double>(arrived - planned_arrivals_[m]) / seconds;
    planned_arrivals_[m] = arrived;
  }
  load.offered_rps = load.module_rps.front();
  planned_at_ns_ = now;
  Plan plan = planner_->plan(now, load, plan_);
  spec_.system->refine(context_, plan);
  return plan;
}

void Cluster::apply_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  for (auto& controller : controllers_) controller->on_plan(now, plan_);
  for (auto& host : hosts_) {
    if (host != nullptr) host->on_plan(now, plan_);
  }
  // Take away first, so that the GPUs are there to be given.
  for (ModuleId module = 0; module < domains_.size(); ++module) scale_module(now, module, -1);
  for (ModuleId module = 0; module < domains_.size(); ++module) scale_module(now, module, +1);
  for (ModuleId module = 0; module < domains_.size(); ++module) record_capacity(now, module);
}

void Cluster::scale_module(TimeNs now, ModuleId module, int direction) {
  std::vector<WorkerId> own;
  for (WorkerId worker = 0; worker < workers_.size(); ++worker) {
    const WorkerState& state = workers_[worker];
    const bool counts =
        state.life == WorkerState::Life::kStarting || state.life == WorkerState::Life::kServing;
    if (state.module == module && counts) own.push_back(worker);
  }
  const int wanted = plan_.modules[module].workers;
  int have = static_cast<int>(own.size());
  for (; direction < 0 && have > wanted; --have) drain_worker(now, own[static_cast<std::size_t>(have - 1)]);
  for (; direction > 0 && have < wanted && alive_workers() < spec_.workers; ++have) {
    world_.start_worker(add_worker(module));
  }
}

int Cluster::alive_workers() const {
  return static_cast<int>(std::count_if(workers_.begin(), workers_.end(), [](const WorkerState& worker) {
    return worker.life != WorkerState::Life::kGone;
  }));
}

WorkerId Cluster::add_worker(ModuleId module) {
  WorkerState state;
  state.module = module;
  state.totals.module = module;
  if (spec_.profiles[module].service != Service::kBatch) {
    state.slot = static_cast<std::uint32_t>(std::count_if(
        workers_.begin(), workers_.end(), [&](const WorkerState& other) { return other.module == module; }));
  }
  state.totals.ready_ns = kNever;
  workers_.push_back(std::move(state));
  return static_cast<WorkerId>(workers_.size() - 1);
}

void Cluster::on_worker_ready(TimeNs now, WorkerId worker) {
  if (workers_[worker].life != WorkerState::Life::kStarting) return;  // taken away during its cold start
  open_for(now, worker);
  record_capacity(now, workers_[worker].module);
}

void Cluster::open_for(TimeNs now, WorkerId worker) {
  const ModuleId module = workers_[worker].module;
  std::vector<DomainView>& views = domains_[module].views;
  // The slots of a server and the threads of a pool share one queue.
  const bool is_batch = spec_.profiles[module].service == Service::kBatch;
  if ((context_.serving.queue == QueueScope::kWorker && is_batch) || views.empty()) {
    const DomainId domain = make_domain(now, module);
    hosts_[domain]->add_worker(now, worker);
    views.push_back({domain, 1, 0});
  } else {
    hosts_[views.front().id]->add_worker(now, worker);
    ++views.front().workers;
  }
}

DomainId Cluster::make_domain(TimeNs now, ModuleId module) {
  const auto domain = static_cast<DomainId>(hosts_.size());
  hosts_.push_back(std::make_unique<QueueDomainHost>(domain, module, spec_.profiles[module],
                                                     spec_.system->make_scheduler(context_, domain, module),
                                                     environment_));
  hosts_.back()->on_plan(now, plan_);
  return domain;
}

void Cluster::drain_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = workers_[worker];
  if (state.life == WorkerState::Life::kStarting) {
    state.life = WorkerState::Life::kGone;
    state.totals.ready_ns = now;
    state.totals.removed_ns = now;
    return;
  }
  const DomainId domain = state.domain;
  std::vector<DomainView>& views = domains_[state.module].views;
  const auto view =
      std::find_if(views.begin(), views.end(), [&](const DomainView& v) { return v.id == domain; });
  hosts_[domain]->drain_worker(now, worker);
  if (--view->workers == 0) {
    views.erase(view);
    hand_over_queue(now, domain);
  }
  if (!workers_[worker].busy) worker_gone(now, worker);
}

void Cluster::hand_over_queue(TimeNs now, DomainId domain) {
  std::vector<VisitId> queued;
  for (VisitId visit = 0; visit < visits_.slots(); ++visit) {
    const VisitRecord& record = visits_[visit];
    if (record.state == VisitState::kQueued && record.domain == domain) queued.push_back(visit);
  }
  std::sort(queued.begin(), queued.end(), [this](VisitId a, VisitId b) {
    const Visit& left = visits_[a].visit;
    const Visit& right = visits_[b].visit;
    return left.due_ns != right.due_ns ? left.due_ns < right.due_ns : left.request < right.request;
  });
  for (const VisitId visit : queued) hosts_[domain]->withdraw(now, visit);
  if (!queued.empty()) flow_.reroute(now, hosts_[domain]->module(), queued);
}

void Cluster::worker_gone(TimeNs now, WorkerId worker) {
  WorkerState& state = workers_[worker];
  state.life = WorkerState::Life::kGone;
  state.totals.removed_ns = now;
  const ModuleId own_module = state.module;
  const bool empty = std::none_of(workers_.begin(), workers_.end(), [&](const WorkerState& other) {
    return other.domain == state.domain && other.life != WorkerState::Life::kGone;
  });
  if (empty) hosts_[state.domain].reset();
  record_capacity(now, own_module);
  // Its GPU may be what another module has been waiting for.
  for (ModuleId module = 0; module < domains_.size(); ++module) scale_module(now, module, +1);
}

void Cluster::record_capacity(TimeNs now, ModuleId module) {
  PlanRow row;
  row.at_ns = now;
  row.module = module;
  row.workers = static_cast<std::uint32_t>(
      std::count_if(workers_.begin(), workers_.end(), [&](const WorkerState& worker) {
        return worker.module == module &&
               (worker.life == WorkerState::Life::kServing || worker.life == WorkerState::Life::kDraining);
      }));
  row.batch_cap = static_cast<std::uint32_t>(plan_.modules[module].batch_cap);
  row.exec_ns = plan_.modules[module].exec_ns;
  const std::vector<PlanRow>& rows = books_.record().plans;
  const auto last =
      std::find_if(rows.rbegin(), rows.rend(), [&](const PlanRow& old) { return old.module == module; });
  const bool same = last != rows.rend() && last->workers == row.workers && last->batch_cap == row.batch_cap &&
                    last->exec_ns == row.exec_ns;
  if (!same) books_.on_plan_row(row);
}

}  // namespace harness
