// The allocation of Proteus, which Loki is compared with (section 6.1): it scales accuracy and knows no
// pipelines.
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/milp.h"
#include "systems/loki/allocation_problem.h"

namespace harness {

/// Returns the number of tasks on the longest path of a pipeline of tasks, at least one. Tasks that cost
/// nothing do not count: their visit takes less than a thousandth of `limit_ns`, as at a source that only
/// hands its input on. `profiles` are by module.
int longest_path_tasks(const Pipeline& pipeline, const std::vector<const Profile*>& profiles,
                       TimeNs limit_ns);

/// A plan of tasks that know nothing of each other.
struct SeparateAllocation {
  bool feasible = false;  ///< true if some part of the demand is served; else there are no workers
  bool optimal = false;   ///< true if the plan is proven to be the best
  /// Share of every task's demand that is served; 1 unless S workers cannot carry all of it (or all but what
  /// the solver's tolerances hide).
  double served = 1;
  std::vector<int> workers;   ///< number of workers, by module
  std::vector<int> batch;     ///< batch size, by module; 1 if it has no workers
  std::vector<double> share;  ///< share of its task's demand, by module; sums to 1 within a task
  /// Mean accuracy of the tasks, weighted by their demands, which is maximised.
  double accuracy = 0;
  double gap = 0;
};

/// Allocates as Proteus: each task by itself, with the demand measured there. `task_demand_rps` is by module
/// and is read at a task's first module only; `problem.demand_rps` and `fan_out` are not used. All S workers
/// are used (no hardware scaling), so that the demand-weighted mean of the tasks' own accuracies is largest.
///
/// Reconstructed: Proteus serves single models. Each task gets an equal part of the pipeline's SLO, by the
/// number of tasks on the longest path; half of it is for the execution, as in section 4.1. Beyond what S
/// workers can carry, the same part of every task's demand is served, as accurately as that part can be.
/// Workers that the optimum does not need go one by one to the variant that has the most load per worker.
SeparateAllocation proteus_allocation(const AllocationProblem& problem,
                                      const std::vector<double>& task_demand_rps,
                                      const MilpLimits& limits = {});

}  // namespace harness
