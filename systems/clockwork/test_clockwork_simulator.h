// Clockwork's scheduler in the simulator of systems/test_central_simulator.h. For tests only.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "systems/clockwork/central_scheduler.h"
#include "systems/test_central_simulator.h"

namespace harness {

struct ClockworkWorld : CentralWorld {
  ClockworkParams params;
};

template <class Scheduling = CentralScheduler>
CentralOutcome simulate_clockwork(const ClockworkWorld& world, std::vector<CentralRequest> requests) {
  std::vector<ClockworkModel> models;
  for (const Profile& profile : world.profiles) {
    models.push_back({static_cast<ModuleId>(models.size()), &profile,
                      std::min(world.params.max_batch, profile.max_batch())});
  }
  Scheduling scheduler(world.params, models, world.queues_behind);
  return CentralSimulator<Scheduling>(world, std::move(requests), scheduler).run();
}

}  // namespace harness
