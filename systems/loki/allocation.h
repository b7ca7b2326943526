// Loki's Resource Manager (section 4) decides how many workers host which model variant with which batch
// size. The functions here are pure; they make mixed-integer linear programs over the augmented graph, which
// harness/milp solves.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/serving/milp.h"
#include "systems/loki/allocation_problem.h"

namespace harness {

struct PathFlow;

/// A plan. Reconstructed: Eq. 2 as printed counts the load of a shared task once for each sink after it. Here
/// the paths to one sink share all requests among them, and paths to different sinks share their flow as far
/// as they begin alike.
struct Allocation {
  bool feasible = false;  ///< true if there is a plan; else there are no workers and no flows
  /// True if the plan is proven to be the best within the gap asked for or, if it is not feasible, if it is
  /// proven that there is no plan.
  bool optimal = false;
  std::vector<int> workers;  ///< x: number of workers, by module
  /// Batch size (y) by module; 1 if it has no workers. Reconstructed: the smallest batch size of the
  /// augmented graph with which the workers do their part.
  std::vector<int> batch;
  std::vector<PathFlow> flows;  ///< flows sorted by sink, then path
  /// Demand that the plan carries, recomputed from its workers and flows: the problem's demand or, if the
  /// solver made use of its tolerances, up to 1e-5 of it less.
  double demand_rps = 0;
  /// Accuracy (Eq. 12): the mean over the sinks (section 2.1) of the mean accuracy of their requests.
  /// Reconstructed: the accuracy of a path is the product of its variants' accuracies.
  double accuracy = 0;
  double gap = 0;  ///< (bound - objective) / |bound|; 0 if it is optimal with a gap of 0
  long nodes = 0;  ///< number of nodes of the search trees

  int total_workers() const {
    int total = 0;
    for (const int count : workers) total += count;
    return total;
  }
};

/// The requests that take one path through the augmented graph.
struct PathFlow {
  std::vector<ModuleId> path;  ///< variants on the path, from the root to a sink
  double share = 0;            ///< c(p) > 0: share of the requests; sums to 1 over the paths to each sink
};

/// Scales hardware (Eq. 11): returns the plan with the fewest workers that carry the demand with the most
/// accurate variants (several if they are equally accurate). Reconstructed: a task that requests reach has at
/// least one worker, even without demand.
Allocation scale_hardware(const AllocationProblem& problem, const MilpLimits& limits = {});

/// Scales accuracy (Eq. 12): returns the plan with the largest accuracy with which S workers carry the
/// demand; among equals the one with the fewest workers (`worker_weight`).
Allocation scale_accuracy(const AllocationProblem& problem, const MilpLimits& limits = {});

/// The variants that a plan may use.
enum class Variants { kAll, kMostAccurate };

/// Returns the most accurate plan for the largest demand that S workers can carry (rounding aside). Its
/// `optimal` and `gap` refer to the demand. The problem's demand does not matter. It is not feasible if no
/// path ends in time or if there are fewer workers than tasks. Reconstructed: the paper does not say what
/// Loki does with more demand than the least accurate variants carry.
Allocation most_throughput(const AllocationProblem& problem, const MilpLimits& limits = {},
                           Variants variants = Variants::kAll);

/// Allocates by hardware scaling with the most accurate variants, as Loki's evaluation has InferLine do.
/// Beyond what S workers carry (reconstructed), the plan is for the largest demand that they carry.
Allocation hwscaling_allocation(const AllocationProblem& problem, const MilpLimits& limits = {});

}  // namespace harness
