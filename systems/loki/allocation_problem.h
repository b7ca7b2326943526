// What Loki's Resource Manager allocates workers for (section 4).
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// The input of a plan. `pipeline` is a tree of tasks, or of modules that count as tasks of one variant each.
struct AllocationProblem {
  const Pipeline* pipeline = nullptr;
  std::vector<const Profile*> profiles;  ///< profile of each module
  /// Visits that a visit causes there (r(i,k) times the branch ratio), by module and entry of its `subs`.
  std::vector<std::vector<double>> fan_out;
  double demand_rps = 0;  ///< D, requests/s at the root
  int workers = 0;        ///< S, number of workers
  /// Limit of the sum of the execution times on a path: half of the SLO after communication (sections 4.1 and
  /// 4.2).
  TimeNs latency_limit_ns = 0;
  /// Batch sizes to choose from (B), ascending; a model uses the sizes that its profile has.
  std::vector<int> batches;
  /// Accuracy that one worker less is worth. Reconstructed: the paper maximises accuracy alone; with this,
  /// the plan with the fewest workers is taken among equally accurate ones.
  double worker_weight = 1e-5;
};

}  // namespace harness
