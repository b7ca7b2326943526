// What a plan's groups of workers can carry together.
#pragma once

#include <span>
#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// The largest rate, requests/s, at which each module's share of the requests can be divided over the groups
/// that serve it so that no group has more work than its workers do. `rps`: by module, the requests/s that
/// one worker would carry if nothing else came; infinite where none go there. By Hall's condition it is the
/// least, over all sets of modules, of the workers that serve any of them over the seconds that a request
/// needs of them. 0 when a module has requests and no workers. Batches are those of `rps` in every group:
/// WorkerGroup::batch_caps and cycle_ns do not count. Cost grows with the square of the different sets of
/// modules, not with the groups.
double group_capacity_rps(std::span<const WorkerGroup> groups, const std::vector<double>& rps);

}  // namespace harness
