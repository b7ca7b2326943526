// GPUs that stop and come back.
#include <algorithm>
#include <utility>

#include "harness/engine/dispatch/worker_manager.h"

namespace harness {

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

}  // namespace harness
