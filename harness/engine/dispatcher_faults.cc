// The part of Dispatcher that takes workers away when GPUs stop and puts them back.
#include <algorithm>
#include <utility>

#include "harness/engine/dispatcher.h"

namespace harness {

void Dispatcher::on_fault(TimeNs now, const Fault& fault, bool begins) {
  if (fault.kind != FaultKind::kStop) return;
  if (begins) {
    stop_gpus(now, fault.first_gpu, fault.gpus);
  } else {
    resume_gpus(now, fault.first_gpu, fault.gpus);
  }
}

void Dispatcher::stop_gpus(TimeNs now, int first_gpu, int gpus) {
  using Life = WorkerState::Life;
  // No router may choose a queue, and no scheduler a worker, that stops at this very moment.
  std::vector<std::pair<DomainId, WorkerId>> lost;
  std::vector<DomainId> closed;
  const auto first = static_cast<std::uint32_t>(first_gpu);
  for (std::uint32_t gpu = first; gpu < first + static_cast<std::uint32_t>(gpus); ++gpu) {
    if (!places_.stop(gpu)) continue;
    if (const WorkerId heir = places_.heir_at(gpu); heir != kNone) {
      places_.group_at_stop(gpu) = tables_.workers[heir].group;
      const DomainId domain = tables_.workers[heir].domain;
      if (abandon_start(now, heir)) {
        lost.emplace_back(domain, kNone);
        closed.push_back(domain);
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
    lost.emplace_back(state.domain, worker);
    if (state.life == Life::kServing) {
      forget(worker);
      if (leave_view(worker)) closed.push_back(state.domain);
    }
    state.life = Life::kDraining;
    places_.release(gpu, worker);  // it may be back before the domain has said that the worker is gone
  }
  // Queues that close last: what is routed again may come to a domain that has lost some of its workers.
  const auto closes = [&closed](DomainId domain) {
    return std::find(closed.begin(), closed.end(), domain) != closed.end();
  };
  std::stable_sort(lost.begin(), lost.end(), [&closes](const auto& a, const auto& b) {
    return std::pair(closes(a.first), a.first) < std::pair(closes(b.first), b.first);
  });
  std::vector<WorkerId> of_domain;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const DomainId domain = lost[i].first;
    if (lost[i].second != kNone) of_domain.push_back(lost[i].second);
    if (i + 1 < lost.size() && lost[i + 1].first == domain) continue;
    to_domains_.lose_workers(now, domain, of_domain, closes(domain));
    of_domain.clear();
  }
  on_free_gpus(now);
}

void Dispatcher::resume_gpus(TimeNs now, int first_gpu, int gpus) {
  const auto first = static_cast<std::uint32_t>(first_gpu);
  for (std::uint32_t gpu = first; gpu < first + static_cast<std::uint32_t>(gpus); ++gpu) {
    if (!places_.resume(gpu)) continue;
    const GroupId group = std::exchange(places_.group_at_stop(gpu), GpuPlaces::kNoGroup);
    if (group == GpuPlaces::kNoGroup || !places_.is_free(gpu)) continue;
    if (static_cast<int>(workers_of_[group].size()) >= plan_.workers_of(group)) continue;
    const WorkerId worker = add_worker(group, gpu);
    open_for(now, worker);
    record_capacity(now, group);
  }
  on_free_gpus(now);
}

}  // namespace harness
