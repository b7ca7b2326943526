// How the systems that Loki is compared with (section 6.1) allocate workers: Proteus, which scales accuracy
// and knows no pipelines, and hardware scaling alone, which it calls InferLine, with one variant for each
// task.
#pragma once

#include <vector>

#include "systems/loki/allocation.h"

namespace harness {

/// Tasks on the longest path of a pipeline of tasks, those apart that cost nothing: a visit takes less than a
/// thousandth of `limit_ns`, as at a source that only hands its input on. At least one. `profiles`: by
/// module.
int longest_path_tasks(const Pipeline& pipeline, const std::vector<const Profile*>& profiles,
                       TimeNs limit_ns);

/// A plan of tasks that know nothing of each other.
struct SeparateAllocation {
  bool feasible = false;  ///< some part of the demand is served; without it there are no workers
  bool optimal = false;   ///< proven
  /// Of each task's demand, the same part; 1 unless S workers cannot carry all of it (or all but what the
  /// solver's tolerances hide).
  double served = 1;
  std::vector<int> workers;   ///< by module
  std::vector<int> batch;     ///< by module; 1 where there are no workers
  std::vector<double> share;  ///< by module: of its task's demand; sums to 1 within a task
  /// Mean accuracy of the tasks, weighted by their demands; what is maximised.
  double accuracy = 0;
  double gap = 0;
};

/// Proteus: each task by itself with the demand measured there, `task_demand_rps` by module (at the task's
/// first; those of other modules do not count; `problem.demand_rps` and `fan_out` neither). All S workers are
/// used (no hardware scaling), so that the demand-weighted mean of the tasks' own accuracies is largest.
///
/// Reconstructed: Proteus serves single models. Of the pipeline's SLO each task gets an equal part, by the
/// tasks on the longest path; half of it for the execution, as in section 4.1. Beyond what S workers can
/// carry the same part of every task's demand is served, as accurately as that part can be. Workers beyond
/// the optimum's need go one by one to the variant that has the most load per worker.
SeparateAllocation proteus_allocation(const AllocationProblem& problem,
                                      const std::vector<double>& task_demand_rps,
                                      const MilpLimits& limits = {});

/// Hardware scaling with the most accurate variants, as Loki's evaluation has InferLine; beyond what S
/// workers carry (reconstructed) the plan for the largest demand that they do.
Allocation hwscaling_allocation(const AllocationProblem& problem, const MilpLimits& limits = {});

}  // namespace harness
