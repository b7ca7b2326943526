// The rate that a plan's groups of workers can carry together.
#pragma once

#include <span>
#include <vector>

#include "harness/serving/worker_group.h"

namespace harness {

/// Returns the largest rate, requests/s, at which each module's share of the requests can be divided over the
/// groups that serve it so that no group has more work than its workers do. `rps` has the requests/s of each
/// module that one worker would carry if nothing else came; infinite if no requests go to the module. By
/// Hall's condition the result is the least, over all sets of modules, of the number of workers that serve
/// any module of the set / the seconds that a request needs at the modules of the set. It is 0 if a module
/// has requests and no workers. Every group has the batches on which `rps` is based: WorkerGroup::max_batches
/// and cycle_ns do not count. The cost grows with the square of the number of different sets of modules that
/// groups serve, not with the number of groups.
double group_capacity_rps(std::span<const WorkerGroup> groups, const std::vector<double>& rps);

}  // namespace harness
