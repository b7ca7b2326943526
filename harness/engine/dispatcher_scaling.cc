// The part of Dispatcher that makes plans and changes workers and domains to follow them.
#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/engine/dispatcher.h"

namespace harness {

Plan Dispatcher::compute_plan(TimeNs now, std::span<const std::uint64_t> arrived) {
  if (!plan_.groups.empty()) return plan_;  // groups last as long as the run
  LoadStatistics load;
  load.module_rps.resize(domains_.size());
  const double seconds = ns_to_s(now - planned_at_ns_);
  for (std::size_t m = 0; m < domains_.size(); ++m) {
    load.module_rps[m] = static_cast<double>(arrived[m] - planned_arrivals_[m]) / seconds;
    planned_arrivals_[m] = arrived[m];
  }
  load.offered_rps = load.module_rps.front();
  planned_at_ns_ = now;
  Plan plan = planner_->plan(now, load, plan_);
  spec_.system->refine(context_, plan);
  return plan;
}

void Dispatcher::apply_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  books_.on_plan(plan_);
  for (auto& controller : controllers_) controller->on_plan(now, plan_);
  commands_.set_plan(now, plan_);
  // Take away first, so that the GPUs are there to be given.
  for (GroupId group = 0; group < plan_.group_count(); ++group) scale_group(now, group, -1);
  fill_up(now);
  for (GroupId group = 0; group < plan_.group_count(); ++group) record_capacity(now, group);
}

void Dispatcher::fill_up(TimeNs now) {
  for (GroupId group = 0; group < plan_.group_count(); ++group) scale_group(now, group, +1);
}

std::vector<WorkerId> Dispatcher::workers_of(GroupId group) const {
  std::vector<WorkerId> own;
  for (WorkerId worker = 0; worker < tables_.workers.size(); ++worker) {
    const WorkerState& state = tables_.workers[worker];
    const bool counts =
        state.life == WorkerState::Life::kStarting || state.life == WorkerState::Life::kServing;
    if (state.group == group && counts) own.push_back(worker);
  }
  return own;
}

void Dispatcher::scale_group(TimeNs now, GroupId group, int direction) {
  const std::vector<WorkerId> own = workers_of(group);
  const int wanted = plan_.workers_of(group);
  int have = static_cast<int>(own.size());
  for (; direction < 0 && have > wanted; --have) drain_worker(now, own[static_cast<std::size_t>(have - 1)]);
  for (; direction > 0 && have < wanted && alive_workers() + places_.idle_stopped() < spec_.workers; ++have) {
    world_.start_worker(add_worker(group));
  }
}

int Dispatcher::alive_workers() const {
  return static_cast<int>(
      std::count_if(tables_.workers.begin(), tables_.workers.end(),
                    [](const WorkerState& worker) { return worker.life != WorkerState::Life::kGone; }));
}

WorkerId Dispatcher::add_worker(GroupId group, std::uint32_t gpu) {
  WorkerTable& workers = tables_.workers;
  const auto worker = static_cast<WorkerId>(workers.size());
  WorkerState state;
  state.group = group;
  state.module = plan_.served_by(group).front();
  state.totals.module = state.module;
  if (spec_.profiles[state.module].service != Service::kBatch) {
    state.slot = static_cast<std::uint32_t>(std::count_if(
        workers.begin(), workers.end(), [&](const WorkerState& other) { return other.group == group; }));
  }
  state.totals.ready_ns = kNever;
  state.gpu = places_.take(worker, gpu);
  workers.push_back(std::move(state));
  return worker;
}

void Dispatcher::on_worker_ready(TimeNs now, WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  if (state.life != WorkerState::Life::kStarting) return;  // taken away during its cold start
  const GroupId group = state.group;
  open_for(now, worker);
  record_capacity(now, group);
}

void Dispatcher::open_for(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  const GroupId group = state.group;
  const std::vector<DomainView>& views = domains_[state.module].views;
  const auto view = std::find_if(views.begin(), views.end(),
                                 [group](const DomainView& each) { return each.group == group; });
  // The slots of a server and the threads of a pool share one queue, as do the workers of a group.
  const bool is_batch = spec_.profiles[state.module].service == Service::kBatch;
  const bool shares = !plan_.groups.empty() || !is_batch;
  const bool own_domain = (context_.serving.queue == QueueScope::kWorker && !shares) || view == views.end();
  const DomainId domain = own_domain ? static_cast<DomainId>(domain_gpus_.size()) : view->id;
  state.domain = domain;
  state.life = WorkerState::Life::kServing;
  if (own_domain) {
    domain_gpus_.push_back(state.gpu);
    commands_.open_domain(now, domain, group, worker);
  }
  commands_.add_worker(now, domain, worker);
  for (const ModuleId module : plan_.served_by(group)) {
    std::vector<DomainView>& open = domains_[module].views;
    if (own_domain) {
      open.push_back({domain, 1, 0, group});
    } else {
      ++std::find_if(open.begin(), open.end(), [domain](const DomainView& v) {
          return v.id == domain;
        })->workers;
    }
  }
}

void Dispatcher::drain_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kStarting) {
    abandon_start(now, worker);
    return;
  }
  state.life = WorkerState::Life::kDraining;
  commands_.drain_worker(now, worker, leave_view(worker));
}

void Dispatcher::abandon_start(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kGone;
  state.totals.ready_ns = now;
  state.totals.removed_ns = now;
  places_.release(state.gpu, worker);
}

bool Dispatcher::leave_view(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  bool is_empty = false;
  for (const ModuleId module : plan_.served_by(state.group)) {
    std::vector<DomainView>& views = domains_[module].views;
    const auto view =
        std::find_if(views.begin(), views.end(), [&](const DomainView& v) { return v.id == state.domain; });
    is_empty = --view->workers == 0;
    if (is_empty) views.erase(view);
  }
  return is_empty;
}

void Dispatcher::on_worker_gone(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kGone;
  state.totals.removed_ns = now;
  places_.release(state.gpu, worker);
  record_capacity(now, state.group);
  // Its GPU may be what another module has been waiting for.
  if (spec_.planner.autoscale) fill_up(now);
}

void Dispatcher::record_capacity(TimeNs now, GroupId group) {
  for (const ModuleId module : plan_.served_by(group)) record_workers(now, module);
}

void Dispatcher::record_workers(TimeNs now, ModuleId module) {
  std::vector<std::uint32_t> workers(plan_.group_count(), 0);
  for (const WorkerState& worker : tables_.workers) {
    if (worker.life == WorkerState::Life::kServing || worker.life == WorkerState::Life::kDraining)
      ++workers[worker.group];
  }
  PlanRow row;
  row.at_ns = now;
  row.module = module;
  for (GroupId group = 0; group < plan_.group_count(); ++group) {
    if (plan_.serves(group, module)) row.workers += workers[group];
  }
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
