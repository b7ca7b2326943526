// Loki's Resource Manager (section 4): how many workers host which model variant with which batch size. Pure
// functions of their arguments; mixed-integer linear programs over the augmented graph, solved by
// harness/milp.
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/milp.h"

namespace harness {

/// What a plan is made for. `pipeline` is a tree: of tasks, or of modules that are tasks of one variant each.
struct AllocationProblem {
  const Pipeline* pipeline = nullptr;
  std::vector<const Profile*> profiles;  ///< by module
  /// By module and entry of its `subs`: visits there that a visit causes (r(i,k) times the branch ratio).
  std::vector<std::vector<double>> fan_out;
  double demand_rps = 0;  ///< D, requests/s at the root
  int workers = 0;        ///< S
  /// Of the execution times on a path: half of the SLO after communication (sections 4.1 and 4.2).
  TimeNs latency_limit_ns = 0;
  /// B, ascending. Of a model those count that its profile has.
  std::vector<int> batches;
  /// Reconstructed: the paper maximises accuracy alone. One worker less is worth so much accuracy, so that of
  /// plans that are equally accurate the one with the fewest workers is taken.
  double worker_weight = 1e-5;
};

/// Requests that take one path through the augmented graph.
struct PathFlow {
  std::vector<ModuleId> path;  ///< variants from the root to a sink
  double share = 0;            ///< c(p) > 0: of the requests; sums to 1 over the paths to each sink
};

/// A plan. Reconstructed: Eq. 2 as printed counts the load of a shared task once for each sink after it; here
/// the paths to one sink share all requests among them, and paths to different sinks that begin alike share
/// their flow as far as they do.
struct Allocation {
  bool feasible = false;  ///< without it there are no workers and no flows
  /// Proven: the best plan within the gap asked for or, if not feasible, that there is none.
  bool optimal = false;
  std::vector<int> workers;  ///< x by module
  /// y by module; 1 where there are no workers. Reconstructed: of those of the augmented graph with which
  /// the workers do their part, the smallest.
  std::vector<int> batch;
  std::vector<PathFlow> flows;  ///< by sink, then path
  /// That the plan carries, recomputed from its workers and flows: the problem's demand or, where the solver
  /// made use of its tolerances, up to 1e-5 of it less.
  double demand_rps = 0;
  /// Eq. 12: the mean over the sinks (section 2.1) of the shares' mean accuracy. Reconstructed: that of a
  /// path is the product of its variants' accuracies.
  double accuracy = 0;
  double gap = 0;  ///< (bound - objective) / |bound|; 0 where it is optimal with a gap of 0
  long nodes = 0;  ///< of the search trees

  int total_workers() const {
    int total = 0;
    for (const int count : workers) total += count;
    return total;
  }
};

/// Hardware scaling (Eq. 11): the fewest workers that carry the demand with the most accurate variants
/// (several where they are equally accurate). Reconstructed: a task that requests reach has at least one
/// worker, even without demand.
Allocation scale_hardware(const AllocationProblem& problem, const MilpLimits& limits = {});

/// Accuracy scaling (Eq. 12): the largest accuracy with which S workers carry the demand; among equals the
/// fewest workers (`worker_weight`).
Allocation scale_accuracy(const AllocationProblem& problem, const MilpLimits& limits = {});

/// Which variants a plan may use.
enum class Variants { kAll, kMostAccurate };

/// The largest demand that S workers can carry (but for rounding), and the most accurate plan for it;
/// `optimal` and `gap` are of the demand. The problem's demand does not count.
/// Reconstructed: what Loki does with more demand than the least accurate variants carry is not said. Not
/// feasible where no path ends in time, or there are fewer workers than tasks.
Allocation most_throughput(const AllocationProblem& problem, const MilpLimits& limits = {},
                           Variants variants = Variants::kAll);

}  // namespace harness
