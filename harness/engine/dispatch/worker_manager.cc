#include "harness/engine/dispatch/worker_manager.h"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

std::vector<int> counts_of(const RunSpec& spec) {
  if (spec.devices.empty()) return {spec.workers};
  std::vector<int> counts;
  for (const ClusterDevice& device : spec.devices) counts.push_back(device.count);
  return counts;
}

}  // namespace

WorkerManager::WorkerManager(const RunSpec& spec, const ServingContext& context, ToQueues& to_queues,
                             EngineTables& tables, Accounting& accounting, std::vector<ModuleQueues>& queues)
    : spec_(spec),
      context_(context),
      to_queues_(to_queues),
      tables_(tables),
      accounting_(accounting),
      queues_(queues),
      places_(counts_of(spec), spec.servers.gpus),
      servers_(spec, context, places_),
      keeps_queues_(spec.system->traits().scales_to_zero && context.serving.queue == QueueScope::kModule &&
                    !spec.pipeline.has_tasks()),
      serving_(spec.pipeline.modules.size(), 0),
      alive_gpus_(places_.kinds(), 0) {}

void WorkerManager::start(TimeNs now, const Plan& plan) {
  plan_ = &plan;
  note_groups();
  if (servers_.exist()) {
    servers_.on_plan(now, *plan_);
    servers_.set_cores(*plan_);
  }
  for (GroupId group = 0; group < plan_->group_count(); ++group) {
    for (int i = 0; i < plan_->workers_of(group); ++i) {
      const FreePlace place = servers_.exist() ? find_place(now, group) : FreePlace{true};
      if (place.is_free) open_for(now, add_worker(now, group, place));
    }
  }
  if (servers_.exist()) await_gpus();
  if (keeps_queues_) open_missing_queues(now);
  // A module that no group serves has its row too, with no workers.
  record_all(now);
}

void WorkerManager::follow(TimeNs now) {
  note_groups();
  if (servers_.exist()) servers_.on_plan(now, *plan_);
  if (!plan_->groups.empty()) {
    change_groups(now);
  } else {
    // Workers are taken away first, so that their GPUs can be given.
    for (GroupId group = 0; group < plan_->group_count(); ++group) scale_group(now, group, -1);
    if (servers_.exist()) servers_.set_cores(*plan_);
    fill_up(now);
  }
  await_gpus();
  record_all(now);
}

TimeNs activation_ns(const RunSpec& spec, ModuleId module, bool from_memory) {
  const WorldParams& world = spec.world;
  const Profile& profile = spec.profiles[module];
  const TimeNs fixed_ns = ms_to_ns(world.cold_start_ms);
  if (world.cold_start == ColdStart::kCached) {
    const double gb_per_s = from_memory ? world.host_gb_per_s : world.disk_gb_per_s;
    return fixed_ns + s_to_ns(profile.memory_mb * 1e-3 / gb_per_s);
  }
  return world.cold_start == ColdStart::kFixed || profile.load_ns == 0 ? fixed_ns : profile.load_ns;
}

TimeNs WorkerManager::cold_start_ns(WorkerId worker) const {
  const WorkerState& state = tables_.workers[worker];
  const std::vector<ModuleId> modules = plan_->served_by(state.group);
  TimeNs sum_ns = 0;
  for (const ModuleId module : modules) sum_ns += activation_ns(spec_, module, state.totals.from_memory);
  if (spec_.world.cold_start == ColdStart::kLoadTime) return sum_ns;
  return sum_ns - static_cast<TimeNs>(modules.size() - 1) * ms_to_ns(spec_.world.cold_start_ms);
}

WorkerManager::FreePlace WorkerManager::find_place(TimeNs now, GroupId group) {
  FreePlace place{has_free_gpus(group)};
  if (!place.is_free || !servers_.exist()) return place;
  place.server = servers_.choose(now, plan_->served_by(group).front());
  place.is_free = place.server != kNone;
  return place;
}

bool WorkerManager::start_worker(TimeNs now, GroupId group) {
  const FreePlace place = find_place(now, group);
  if (place.is_free) start_at(now, group, place);
  return place.is_free;
}

void WorkerManager::start_at(TimeNs now, GroupId group, const FreePlace& place) {
  const WorkerId worker = add_worker(now, group, place);
  WorkerTotals& totals = tables_.workers[worker].totals;
  totals.from_memory =
      spec_.world.cold_start == ColdStart::kCached && servers_.exist() && servers_.is_from_memory(worker);
  to_queues_.start_worker(worker, cold_start_ns(worker));
}

void WorkerManager::free_gpus(TimeNs now, WorkerId worker) {
  if (servers_.exist())
    servers_.leave(now, worker);
  else
    places_.release(tables_.workers[worker].gpu, worker);
}

void WorkerManager::await_gpus() {
  awaiting_.clear();
  for (auto group = used_groups_.rbegin(); group != used_groups_.rend(); ++group) {
    const auto wanted = static_cast<std::size_t>(plan_->workers_of(*group));
    awaiting_.insert(awaiting_.end(), wanted - workers_of_[*group].size(), *group);
  }
}

void WorkerManager::on_free_gpus(TimeNs now) {
  if (spec_.planner.autoscale) {
    fill_up(now);
    return;
  }
  if (awaiting_.empty()) return;
  std::vector<bool> is_full(places_.kinds(), false);  // looking for a free GPU takes a while
  std::size_t full = 0;
  for (auto waiting = awaiting_.rbegin(); waiting != awaiting_.rend() && full < is_full.size(); ++waiting) {
    const GroupId group = *waiting;
    if (is_full[device_of(group)]) continue;
    if (!has_free_gpus(group)) {
      if (servers_.exist()) continue;  // a worker of another module may take fewer
      is_full[device_of(group)] = true;
      ++full;
      continue;
    }
    const bool lacks = workers_of_[group].size() < static_cast<std::size_t>(plan_->workers_of(group));
    if (lacks && !start_worker(now, group)) continue;
    *waiting = GpuPlaces::kNoGroup;
  }
  std::erase(awaiting_, GpuPlaces::kNoGroup);
}

void WorkerManager::note_groups() {
  workers_of_.resize(plan_->group_count());
  used_groups_.clear();
  for (GroupId group = 0; group < plan_->group_count(); ++group) {
    if (plan_->workers_of(group) > 0) used_groups_.push_back(group);
  }
}

void WorkerManager::fill_up(TimeNs now) {
  for (const GroupId group : used_groups_) scale_group(now, group, +1);
}

void WorkerManager::scale_group(TimeNs now, GroupId group, int direction) {
  const std::vector<WorkerId>& own = workers_of_[group];
  const auto wanted = static_cast<std::size_t>(plan_->workers_of(group));
  while (direction < 0 && own.size() > wanted) drain_worker(now, next_to_leave(group));
  while (direction > 0 && own.size() < wanted && start_worker(now, group)) {
  }
}

WorkerId WorkerManager::next_to_leave(GroupId group) const {
  const std::vector<WorkerId>& own = workers_of_[group];
  if (!servers_.exist()) return own.back();
  // A worker from disk may still be starting when another from memory, which was added later, serves.
  const auto starts = [this](WorkerId worker) {
    return tables_.workers[worker].life == WorkerState::Life::kStarting;
  };
  const auto starting = std::find_if(own.rbegin(), own.rend(), starts);
  return starting != own.rend() ? *starting : own.back();
}

WorkerId WorkerManager::make_worker(GroupId group) {
  WorkerTable& workers = tables_.workers;
  const auto worker = static_cast<WorkerId>(workers.size());
  WorkerState state;
  state.group = group;
  state.module = plan_->served_by(group).front();
  state.totals.module = state.module;
  state.totals.device = static_cast<std::uint16_t>(device_of(group));
  state.totals.gpus = static_cast<std::uint16_t>(gpus_of(group));
  if (!spec_.devices.empty())
    state.totals.usd_per_h = gpus_of(group) * spec_.devices[state.totals.device].usd_per_h;
  state.totals.added_ns = kNever;
  if (spec_.profiles[state.module].service != Service::kBatch) {
    state.slot = static_cast<std::uint32_t>(std::count_if(
        workers.begin(), workers.end(), [&](const WorkerState& other) { return other.group == group; }));
  }
  state.totals.ready_ns = kNever;
  workers.push_back(std::move(state));
  workers_of_[group].push_back(worker);
  return worker;
}

WorkerId WorkerManager::add_worker(TimeNs now, GroupId group, const FreePlace& place) {
  const WorkerId worker = make_worker(group);
  WorkerState& state = tables_.workers[worker];
  state.gpu = servers_.exist() ? servers_.enter(now, place.server, state.module, worker, place.gpu)
                               : places_.take(worker, state.totals.device, place.gpu);
  state.totals.added_ns = now;
  alive_gpus_[state.totals.device] += state.totals.gpus;
  return worker;
}

void WorkerManager::on_worker_ready(TimeNs now, WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  if (state.life != WorkerState::Life::kStarting) return;  // taken away during its cold start
  const GroupId group = state.group;
  open_for(now, worker);
  record_capacity(now, group);
}

void WorkerManager::open_for(TimeNs now, WorkerId worker) {
  const bool is_new = find_queue(now, worker);
  begin_serving(now, worker);
  enter_view(worker, is_new);
}

void WorkerManager::begin_serving(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  state.life = WorkerState::Life::kServing;
  count_serving(state.group, +1);
  if (servers_.exist()) servers_.on_started(now, worker);
  to_queues_.add_worker(now, state.queue, worker);
}

bool WorkerManager::find_queue(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  const GroupId group = state.group;
  const std::vector<QueueView>& views = queues_[spec_.pipeline.task_of(state.module)].views;
  const auto view = std::find_if(views.begin(), views.end(),
                                 [group](const QueueView& each) { return each.group == group; });
  // The slots of a server and the threads of a pool share one queue, as do the workers of a group.
  const bool is_batch = spec_.profiles[state.module].service == Service::kBatch;
  const bool shares = !plan_->groups.empty() || !is_batch;
  const bool own_queue = (context_.serving.queue == QueueScope::kWorker && !shares) || view == views.end();
  state.queue = own_queue ? static_cast<QueueId>(queue_gpus_.size()) : view->id;
  if (own_queue) {
    queue_gpus_.push_back(state.gpu);
    to_queues_.open_queue(now, state.queue, group, state.gpu);
  }
  return own_queue;
}

void WorkerManager::open_missing_queues(TimeNs now) {
  for (ModuleId module = 0; module < queues_.size(); ++module) {
    if (!queues_[module].views.empty()) continue;
    const auto queue = static_cast<QueueId>(queue_gpus_.size());
    constexpr std::uint32_t kFirstGpu = 0;  // the queue needs some place
    queue_gpus_.push_back(kFirstGpu);
    to_queues_.open_queue(now, queue, module, kFirstGpu);
    queues_[module].views.push_back({queue, 0, 0, module});
  }
}

void WorkerManager::enter_view(WorkerId worker, bool is_new) {
  const QueueId queue = tables_.workers[worker].queue;
  const GroupId group = tables_.workers[worker].group;
  for (const ModuleId module : plan_->served_by(group)) {
    std::vector<QueueView>& open = queues_[spec_.pipeline.task_of(module)].views;
    if (is_new) {
      open.push_back({queue, 1, 0, group});
    } else {
      ++std::find_if(open.begin(), open.end(), [queue](const QueueView& v) {
          return v.id == queue;
        })->workers;
    }
  }
}

void WorkerManager::drain_worker(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  if (state.life == WorkerState::Life::kStarting) {
    if (abandon_start(now, worker)) to_queues_.lose_workers(now, state.queue, {}, true);
    return;
  }
  forget(worker);
  state.life = WorkerState::Life::kDraining;
  if (servers_.exist()) servers_.on_draining(worker);
  to_queues_.drain_worker(now, worker, leave_view(worker));
}

void WorkerManager::forget(WorkerId worker) {
  std::erase(workers_of_[tables_.workers[worker].group], worker);
}

bool WorkerManager::abandon_start(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  forget(worker);
  state.life = WorkerState::Life::kGone;
  state.totals.ready_ns = now;
  state.totals.removed_ns = now;
  if (state.queue == kNone) {
    free_gpus(now, worker);
    alive_gpus_[state.totals.device] -= state.totals.gpus;
    return false;
  }
  places_.heir_at(state.gpu) = kNone;
  return leave_view(worker);
}

void WorkerManager::change_groups(TimeNs now) {
  const bool ahead = spec_.system->traits().models_are_preloaded;
  std::vector<std::uint32_t> gpus;
  std::vector<QueueId> empty;
  std::vector<LeavingWorker> leaving = release_workers(now, gpus, empty);
  if (ahead) hand_over(now, gpus);
  // Queues that close come last: visits that are routed again may come to a queue that has lost some of its
  // workers.
  std::stable_partition(leaving.begin(), leaving.end(), [](const LeavingWorker& one) { return !one.closes; });
  for (const LeavingWorker& one : leaving) to_queues_.drain_worker(now, one.worker, one.closes);
  for (const QueueId queue : empty) to_queues_.lose_workers(now, queue, {}, true);
  if (!ahead) fill_up(now);
}

void WorkerManager::hand_over(TimeNs now, std::span<const std::uint32_t> gpus) {
  auto next = gpus.begin();
  for (const GroupId group : used_groups_) {
    const auto wanted = static_cast<std::size_t>(plan_->workers_of(group));
    while (workers_of_[group].size() < wanted && (next != gpus.end() || has_free_gpus(group))) {
      if (next == gpus.end()) {
        open_for(now, add_worker(now, group, FreePlace{true}));
        continue;
      }
      const WorkerId heir = make_worker(group);
      tables_.workers[heir].gpu = *next;
      places_.heir_at(*next++) = heir;
      enter_view(heir, find_queue(now, heir));
    }
  }
}

std::vector<WorkerManager::LeavingWorker> WorkerManager::release_workers(TimeNs now,
                                                                         std::vector<std::uint32_t>& gpus,
                                                                         std::vector<QueueId>& empty) {
  std::vector<LeavingWorker> leaving;
  for (GroupId group = 0; group < plan_->group_count(); ++group) {
    const auto wanted = static_cast<std::size_t>(plan_->workers_of(group));
    while (workers_of_[group].size() > wanted) {
      const WorkerId worker = workers_of_[group].back();
      WorkerState& state = tables_.workers[worker];
      if (state.life == WorkerState::Life::kStarting) {
        if (state.queue != kNone) gpus.push_back(state.gpu);
        if (abandon_start(now, worker)) empty.push_back(state.queue);
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

bool WorkerManager::leave_view(WorkerId worker) {
  const WorkerState& state = tables_.workers[worker];
  bool is_empty = false;
  for (const ModuleId module : plan_->served_by(state.group)) {
    std::vector<QueueView>& views = queues_[spec_.pipeline.task_of(module)].views;
    const auto view =
        std::find_if(views.begin(), views.end(), [&](const QueueView& v) { return v.id == state.queue; });
    is_empty = --view->workers == 0 && !keeps_queues_;
    if (is_empty) views.erase(view);
  }
  return is_empty;
}

void WorkerManager::on_worker_gone(TimeNs now, WorkerId worker) {
  WorkerState& state = tables_.workers[worker];
  const GroupId group = state.group;
  const std::uint32_t gpu = state.gpu;
  state.life = WorkerState::Life::kGone;
  state.totals.removed_ns = now;
  alive_gpus_[state.totals.device] -= state.totals.gpus;
  count_serving(group, -1);
  free_gpus(now, worker);
  record_capacity(now, group);
  if (const WorkerId heir = places_.take_heir(gpu); heir != kNone) {
    tables_.workers[heir].totals.added_ns = now;
    ++alive_gpus_[tables_.workers[heir].totals.device];
    begin_serving(now, heir);
    record_capacity(now, tables_.workers[heir].group);
  }
  // Its GPU may be what another module has been waiting for.
  on_free_gpus(now);
}

void WorkerManager::on_fault(TimeNs now, const Fault& fault, bool begins) {
  if (fault.kind != FaultKind::kStop) return;
  if (begins) {
    stop_gpus(now, fault.first_gpu, fault.gpus);
  } else {
    resume_gpus(now, fault.first_gpu, fault.gpus);
  }
}

void WorkerManager::stop_gpus(TimeNs now, int first_gpu, int gpus) {
  using Life = WorkerState::Life;
  // No router may choose a queue, and no scheduler a worker, that stops at this very moment.
  std::vector<std::pair<QueueId, WorkerId>> lost;
  std::vector<QueueId> closed;
  const auto first = static_cast<std::uint32_t>(first_gpu);
  for (std::uint32_t gpu = first; gpu < first + static_cast<std::uint32_t>(gpus); ++gpu) {
    if (!places_.stop(gpu)) continue;
    if (const WorkerId heir = places_.heir_at(gpu); heir != kNone) {
      places_.group_at_stop(gpu) = tables_.workers[heir].group;
      const QueueId queue = tables_.workers[heir].queue;
      if (abandon_start(now, heir)) {
        lost.emplace_back(queue, kNone);
        closed.push_back(queue);
      }
    }
    const WorkerId worker = places_.worker_at(gpu);
    if (worker == kNone) continue;
    WorkerState& state = tables_.workers[worker];
    if (spec_.profiles[state.module].service != Service::kBatch) continue;
    if (state.life != Life::kDraining) places_.group_at_stop(gpu) = state.group;
    if (state.life == Life::kStarting) {
      abandon_start(now, worker);
      continue;
    }
    lost.emplace_back(state.queue, worker);
    if (state.life == Life::kServing) {
      forget(worker);
      if (leave_view(worker)) closed.push_back(state.queue);
    }
    state.life = Life::kDraining;
    free_gpus(now, worker);  // it may be back before the queue has said that the worker is gone
  }
  if (servers_.exist()) servers_.on_stops(first, static_cast<std::uint32_t>(gpus));
  // Queues that close come last: visits that are routed again may come to a queue that has lost some of its
  // workers.
  const auto closes = [&closed](QueueId queue) {
    return std::find(closed.begin(), closed.end(), queue) != closed.end();
  };
  std::stable_sort(lost.begin(), lost.end(), [&closes](const auto& a, const auto& b) {
    return std::pair(closes(a.first), a.first) < std::pair(closes(b.first), b.first);
  });
  std::vector<WorkerId> of_queue;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const QueueId queue = lost[i].first;
    if (lost[i].second != kNone) of_queue.push_back(lost[i].second);
    if (i + 1 < lost.size() && lost[i + 1].first == queue) continue;
    to_queues_.lose_workers(now, queue, of_queue, closes(queue));
    of_queue.clear();
  }
  on_free_gpus(now);
}

void WorkerManager::resume_gpus(TimeNs now, int first_gpu, int gpus) {
  const auto first = static_cast<std::uint32_t>(first_gpu);
  std::vector<std::uint32_t> back;
  for (std::uint32_t gpu = first; gpu < first + static_cast<std::uint32_t>(gpus); ++gpu) {
    if (places_.resume(gpu)) back.push_back(gpu);
  }
  if (servers_.exist()) servers_.on_stops(first, static_cast<std::uint32_t>(gpus));
  for (const std::uint32_t gpu : back) {
    const GroupId group = std::exchange(places_.group_at_stop(gpu), GpuPlaces::kNoGroup);
    if (group == GpuPlaces::kNoGroup || !places_.is_free(gpu)) continue;
    if (static_cast<int>(workers_of_[group].size()) >= plan_->workers_of(group)) continue;
    const FreePlace place{true, gpu, servers_.exist() ? places_.server_of(gpu) : kNone};
    if (servers_.exist() && !servers_.fits_now(place.server, group)) continue;
    if (spec_.world.cold_start == ColdStart::kCached) {
      start_at(now, group, place);
      continue;
    }
    open_for(now, add_worker(now, group, place));
    record_capacity(now, group);
  }
  on_free_gpus(now);
}

void WorkerManager::count_serving(GroupId group, int more) {
  for (const ModuleId module : plan_->served_by(group)) serving_[module] += static_cast<std::uint32_t>(more);
}

void WorkerManager::record_capacity(TimeNs now, GroupId group) {
  for (const ModuleId module : plan_->served_by(group)) record_workers(now, module);
}

void WorkerManager::record_workers(TimeNs now, ModuleId module) {
  PlanRow row;
  row.at_ns = now;
  row.module = module;
  row.workers = serving_[module];
  row.max_batch = static_cast<std::uint32_t>(plan_->modules[module].max_batch);
  row.exec_ns = plan_->modules[module].exec_ns;
  row.device = plan_->modules[module].device;
  if (!spec_.devices.empty() && spec_.devices[row.device].usd_per_h > 0)
    row.usd_per_h = spec_.profiles[module].gpus * spec_.devices[row.device].usd_per_h;
  row.cores = static_cast<std::uint32_t>(plan_->modules[module].cores);
  const std::vector<PlanRow>& rows = accounting_.record().plans;
  const auto last =
      std::find_if(rows.rbegin(), rows.rend(), [&](const PlanRow& old) { return old.module == module; });
  const bool same = last != rows.rend() && last->workers == row.workers && last->max_batch == row.max_batch &&
                    last->exec_ns == row.exec_ns && last->cores == row.cores;
  if (!same) accounting_.on_plan_row(row);
}

void WorkerManager::record_all(TimeNs now) {
  for (ModuleId module = 0; module < queues_.size(); ++module) record_workers(now, module);
  if (plan_->groups.empty()) return;
  // The number of parts into which each module's streams are divided.
  std::vector<double> parts(queues_.size(), 0);
  for (const GroupId number : used_groups_) {
    for (std::size_t i = 0; i < plan_->groups[number].shares.size(); ++i)
      parts[plan_->groups[number].modules[i]] += plan_->groups[number].shares[i];
  }
  for (const GroupId number : used_groups_) {
    const WorkerGroup& group = plan_->groups[number];
    for (std::size_t i = 0; i < group.modules.size(); ++i) {
      GroupRow row{now,
                   number,
                   group.modules[i],
                   static_cast<std::uint32_t>(group.workers),
                   static_cast<std::uint32_t>(plan_->max_batch(number, group.modules[i])),
                   group.cycle_ns};
      if (!group.shares.empty()) row.share = group.shares[i] / parts[group.modules[i]];
      accounting_.on_group_row(row);
    }
  }
}

}  // namespace harness
