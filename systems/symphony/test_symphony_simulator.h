// Symphony's scheduler in the simulator of systems/test_central_simulator.h. For tests only.
#pragma once

#include <utility>
#include <vector>

#include "systems/symphony/deferred_scheduler.h"
#include "systems/test_central_simulator.h"

namespace harness {

struct SymphonyWorld : CentralWorld {
  TimeNs slo_ns = 0;  ///< SLO for the target
  SymphonyParams params;
};

/// Returns a world that has so many workers from then on.
inline SymphonyWorld symphony_world(std::vector<Profile> profiles, TimeNs slo_ns, std::uint32_t workers,
                                    TimeNs from_ns = 0, const SymphonyParams& params = {}) {
  SymphonyWorld world;
  world.profiles = std::move(profiles);
  world.workers = 0;
  world.queues_behind = false;
  world.slo_ns = slo_ns;
  world.params = params;
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    world.incidents.push_back({from_ns, CentralIncident::Kind::kAdded, worker});
  return world;
}

template <class Scheduling = DeferredScheduler>
CentralOutcome simulate_symphony(const SymphonyWorld& world, std::vector<CentralRequest> requests) {
  std::vector<SymphonyModel> models;
  for (const Profile& profile : world.profiles)
    models.push_back({static_cast<ModuleId>(models.size()), &profile, profile.max_batch(), world.slo_ns});
  Scheduling scheduler(world.params, models);
  return CentralSimulator<Scheduling>(world, std::move(requests), scheduler).run();
}

}  // namespace harness
