// The part of Dispatcher that makes plans and changes workers and domains to follow them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/error.h"
#include "harness/engine/dispatcher.h"
#include "harness/serving/common_plans.h"

namespace harness {

TimeNs Dispatcher::next_planning_ns(TimeNs at_ns) const {
  if (period_ns_ > 0) {
    const TimeNs next_ns = at_ns + period_ns_;
    return next_ns < spec_.arrivals->duration_ns() ? next_ns : kNever;
  }
  return spec_.planner.autoscale ? at_ns + s_to_ns(spec_.planner.period_s) : kNever;
}

TimeNs Dispatcher::cold_start_ns(GroupId group) const {
  const TimeNs fixed_ns = ms_to_ns(spec_.world.cold_start_ms);
  if (spec_.world.cold_start == ColdStart::kFixed) return fixed_ns;
  TimeNs sum_ns = 0;
  for (const ModuleId module : plan_.served_by(group)) {
    const TimeNs load_ns = spec_.profiles[module].load_ns;
    sum_ns += load_ns > 0 ? load_ns : fixed_ns;
  }
  return sum_ns;
}

void Dispatcher::start_worker(GroupId group) {
  to_domains_.start_worker(add_worker(group), cold_start_ns(group));
}

LoadStatistics Dispatcher::take_load(TimeNs now, std::span<const std::uint64_t> arrived) {
  LoadStatistics load;
  load.module_rps.resize(domains_.size());
  const double seconds = ns_to_s(now - planned_at_ns_);
  for (std::size_t m = 0; m < domains_.size(); ++m) {
    // A variant that has lost its queue to another has had fewer than before.
    const auto more = static_cast<std::int64_t>(arrived[m] - planned_arrivals_[m]);
    load.module_rps[m] = static_cast<double>(more) / seconds;
    planned_arrivals_[m] = arrived[m];
  }
  for (ModuleId m = 0; m < domains_.size(); ++m) {
    if (spec_.pipeline.task_of(m) == 0) load.offered_rps += load.module_rps[m];
  }
  load.fan_out = fan_out_since();
  load.peak_rps = peaks_at(spec_, period_ns_, now);
  planned_at_ns_ = now;
  return load;
}

Plan Dispatcher::compute_plan(TimeNs now, const LoadStatistics& load) {
  if (!computed_.groups.empty() && period_ns_ == 0) return computed_;
  Plan plan = planner_->plan(now, load, computed_);
  spec_.system->refine(context_, plan);
  HARNESS_CHECK(
      computed_.groups.empty() == plan.groups.empty() && (plan.groups.empty() || follows(computed_, plan)),
      "a planner takes away groups of workers, or changes them");
  computed_ = plan;
  return plan;
}

std::vector<std::vector<double>> Dispatcher::fan_out_since() {
  const std::vector<std::vector<std::uint64_t>>& caused = flow_.caused();
  std::vector<std::vector<double>> means;
  for (ModuleId m = 0; m < caused.size(); ++m) {
    const std::uint64_t done = books_.record().modules[m].done;
    const auto served = static_cast<double>(done - std::exchange(planned_done_[m], done));
    std::vector<double>& of_module = means.emplace_back();
    for (std::size_t s = 0; s < caused[m].size(); ++s) {
      const std::uint64_t before = std::exchange(planned_caused_[m][s], caused[m][s]);
      of_module.push_back(served == 0 ? NAN : static_cast<double>(caused[m][s] - before) / served);
    }
  }
  return means;
}

void Dispatcher::apply_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  books_.on_plan(plan_);
  for (auto& controller : controllers_) controller->on_plan(now, plan_);
  for (ModuleDomains& module : domains_) module.router->on_plan(plan_);
  to_domains_.set_plan(now, plan_);
  note_groups();
  if (!plan_.groups.empty()) {
    change_groups(now);
  } else {
    // Take away first, so that the GPUs are there to be given.
    for (GroupId group = 0; group < plan_.group_count(); ++group) scale_group(now, group, -1);
    fill_up(now);
  }
  await_gpus();
  for (ModuleId module = 0; module < domains_.size(); ++module) record_workers(now, module);
  record_groups(now);
}

void Dispatcher::await_gpus() {
  awaiting_.clear();
  for (auto group = used_groups_.rbegin(); group != used_groups_.rend(); ++group) {
    const auto wanted = static_cast<std::size_t>(plan_.workers_of(*group));
    awaiting_.insert(awaiting_.end(), wanted - workers_of_[*group].size(), *group);
  }
}

void Dispatcher::on_free_gpus(TimeNs now) {
  if (spec_.planner.autoscale) {
    fill_up(now);
    return;
  }
  while (!awaiting_.empty() && has_free_gpu()) {
    const GroupId group = awaiting_.back();
    awaiting_.pop_back();
    if (workers_of_[group].size() < static_cast<std::size_t>(plan_.workers_of(group))) start_worker(group);
  }
}

void Dispatcher::note_groups() {
  workers_of_.resize(plan_.group_count());
  used_groups_.clear();
  for (GroupId group = 0; group < plan_.group_count(); ++group) {
    if (plan_.workers_of(group) > 0) used_groups_.push_back(group);
  }
}

void Dispatcher::fill_up(TimeNs now) {
  for (const GroupId group : used_groups_) scale_group(now, group, +1);
}

void Dispatcher::scale_group(TimeNs now, GroupId group, int direction) {
  const std::vector<WorkerId>& own = workers_of_[group];
  const auto wanted = static_cast<std::size_t>(plan_.workers_of(group));
  while (direction < 0 && own.size() > wanted) drain_worker(now, own.back());
  while (direction > 0 && own.size() < wanted && has_free_gpu()) start_worker(group);
}

WorkerId Dispatcher::make_worker(GroupId group) {
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
  workers.push_back(std::move(state));
  workers_of_[group].push_back(worker);
  return worker;
}

WorkerId Dispatcher::add_worker(GroupId group, std::uint32_t gpu) {
  const WorkerId worker = make_worker(group);
  tables_.workers[worker].gpu = places_.take(worker, gpu);
  ++alive_workers_;
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
  const bool is_new = find_domain(now, worker);
  begin_serving(now, worker);
  enter_view(worker, is_new);
}

void Dispatcher::begin_serving(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kServing;
  count_serving(state.group, +1);
  to_domains_.add_worker(now, state.domain, worker);
}

bool Dispatcher::find_domain(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  const GroupId group = state.group;
  const std::vector<DomainView>& views = domains_[spec_.pipeline.task_of(state.module)].views;
  const auto view = std::find_if(views.begin(), views.end(),
                                 [group](const DomainView& each) { return each.group == group; });
  // The slots of a server and the threads of a pool share one queue, as do the workers of a group.
  const bool is_batch = spec_.profiles[state.module].service == Service::kBatch;
  const bool shares = !plan_.groups.empty() || !is_batch;
  const bool own_domain = (context_.serving.queue == QueueScope::kWorker && !shares) || view == views.end();
  state.domain = own_domain ? static_cast<DomainId>(domain_gpus_.size()) : view->id;
  if (own_domain) {
    domain_gpus_.push_back(state.gpu);
    to_domains_.open_domain(now, state.domain, group, worker);
  }
  return own_domain;
}

void Dispatcher::enter_view(WorkerId worker, bool is_new) {
  const DomainId domain = tables_.workers[worker].domain;
  const GroupId group = tables_.workers[worker].group;
  for (const ModuleId module : plan_.served_by(group)) {
    std::vector<DomainView>& open = domains_[spec_.pipeline.task_of(module)].views;
    if (is_new) {
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
    if (abandon_start(now, worker)) to_domains_.lose_workers(now, state.domain, {}, true);
    return;
  }
  forget(worker);
  state.life = WorkerState::Life::kDraining;
  to_domains_.drain_worker(now, worker, leave_view(worker));
}

void Dispatcher::forget(WorkerId worker) { std::erase(workers_of_[tables_.workers[worker].group], worker); }

bool Dispatcher::abandon_start(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  forget(worker);
  state.life = WorkerState::Life::kGone;
  state.totals.ready_ns = now;
  state.totals.removed_ns = now;
  if (state.domain == kNone) {
    places_.release(state.gpu, worker);
    --alive_workers_;
    return false;
  }
  places_.heir_at(state.gpu) = kNone;
  return leave_view(worker);
}

void Dispatcher::change_groups(TimeNs now) {
  const bool ahead = spec_.system->loads_ahead();
  std::vector<std::uint32_t> gpus;
  std::vector<DomainId> empty;
  std::vector<LeavingWorker> leaving = release_workers(now, gpus, empty);
  if (ahead) hand_over(now, gpus);
  // Queues that close last: what is routed again may come to a domain that has lost some of its workers.
  std::stable_partition(leaving.begin(), leaving.end(), [](const LeavingWorker& one) { return !one.closes; });
  for (const LeavingWorker& one : leaving) to_domains_.drain_worker(now, one.worker, one.closes);
  for (const DomainId domain : empty) to_domains_.lose_workers(now, domain, {}, true);
  if (!ahead) fill_up(now);
}

void Dispatcher::hand_over(TimeNs now, std::span<const std::uint32_t> gpus) {
  auto next = gpus.begin();
  for (const GroupId group : used_groups_) {
    const auto wanted = static_cast<std::size_t>(plan_.workers_of(group));
    while (workers_of_[group].size() < wanted && (next != gpus.end() || has_free_gpu())) {
      if (next == gpus.end()) {
        open_for(now, add_worker(group));
        continue;
      }
      const WorkerId heir = make_worker(group);
      tables_.workers[heir].gpu = *next;
      places_.heir_at(*next++) = heir;
      enter_view(heir, find_domain(now, heir));
    }
  }
}

std::vector<Dispatcher::LeavingWorker> Dispatcher::release_workers(TimeNs now,
                                                                   std::vector<std::uint32_t>& gpus,
                                                                   std::vector<DomainId>& empty) {
  std::vector<LeavingWorker> leaving;
  for (GroupId group = 0; group < plan_.group_count(); ++group) {
    const auto wanted = static_cast<std::size_t>(plan_.workers_of(group));
    while (workers_of_[group].size() > wanted) {
      const WorkerId worker = workers_of_[group].back();
      WorkerState& state = tables_.workers[worker];
      if (state.life == WorkerState::Life::kStarting) {
        if (state.domain != kNone) gpus.push_back(state.gpu);
        if (abandon_start(now, worker)) empty.push_back(state.domain);
        continue;
      }
      forget(worker);
      state.life = WorkerState::Life::kDraining;
      leaving.push_back({worker, leave_view(worker)});
      gpus.push_back(state.gpu);
    }
  }
  return leaving;
}

bool Dispatcher::leave_view(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  bool is_empty = false;
  for (const ModuleId module : plan_.served_by(state.group)) {
    std::vector<DomainView>& views = domains_[spec_.pipeline.task_of(module)].views;
    const auto view =
        std::find_if(views.begin(), views.end(), [&](const DomainView& v) { return v.id == state.domain; });
    is_empty = --view->workers == 0;
    if (is_empty) views.erase(view);
  }
  return is_empty;
}

void Dispatcher::on_worker_gone(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  const GroupId group = state.group;
  const std::uint32_t gpu = state.gpu;
  state.life = WorkerState::Life::kGone;
  state.totals.removed_ns = now;
  --alive_workers_;
  count_serving(group, -1);
  places_.release(gpu, worker);
  record_capacity(now, group);
  if (const WorkerId heir = places_.take_heir(gpu); heir != kNone) {
    ++alive_workers_;
    begin_serving(now, heir);
    record_capacity(now, tables_.workers[heir].group);
  }
  // Its GPU may be what another module has been waiting for.
  on_free_gpus(now);
}

void Dispatcher::count_serving(GroupId group, int more) {
  for (const ModuleId module : plan_.served_by(group)) serving_[module] += static_cast<std::uint32_t>(more);
}

void Dispatcher::record_capacity(TimeNs now, GroupId group) {
  for (const ModuleId module : plan_.served_by(group)) record_workers(now, module);
}

void Dispatcher::record_workers(TimeNs now, ModuleId module) {
  PlanRow row;
  row.at_ns = now;
  row.module = module;
  row.workers = serving_[module];
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
