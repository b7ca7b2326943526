// The mixed-integer linear programs of Loki (section 4.1, Eq. 11 and 12) over an augmented graph.
//
// Each vertex (variant and batch size) has a variable n, the number of its workers, and a variable z, 1 if
// the variant has this batch size (left out if the variant has only one to choose). Each path from the root
// has a variable f, the share of the requests that take it. Constraint 2 is linear in f and n; Constraints 6
// and 7 hold by the choice of the paths. The sums of n over a variant and over a task are variables as well:
// whole numbers, on which to branch.
#pragma once

#include <span>
#include <vector>

#include "harness/serving/milp.h"
#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"
#include "systems/loki/augmented_graph.h"

namespace harness {

class AllocationProgram {
 public:
  /// The goal to maximise, and whether the requests of `demand_rps` must be served.
  struct Goal {
    double demand_rps = 0;  ///< requests/s that f = 1 at the root stands for
    bool serve_all = true;  ///< true if all of the demand must be served; else any share of it may be
    double accuracy = 0;    ///< worth of the accuracy of Eq. 12
    double served = 0;      ///< worth of the share served
    double worker = 0;      ///< worth of one worker less
  };

  /// Keeps `problem` and `graph` by reference. `graph` must have a prefix.
  AllocationProgram(const AllocationProblem& problem, const AugmentedGraph& graph, const Goal& goal);

  const Milp& milp() const { return milp_; }

  /// Returns, for each variable, true if it may differ from 0 in a plan that has workers only at the vertices
  /// marked in `vertices`.
  std::vector<bool> variables_of(const std::vector<bool>& vertices) const;

  /// Returns the plan that `values` of the program describe, with its `demand_rps` and `accuracy`. The
  /// findings of the search (`optimal`, `gap`) are not set.
  Allocation allocation(std::span<const double> values) const;

 private:
  void add_vertices();
  void add_flows();
  void add_balance();
  void add_loads();
  void add_choices();
  void add_task_sums();
  void add_sum(const std::vector<int>& vertices);
  double load_of(int prefix) const;  // load in workers if all requests took the prefix
  std::vector<bool> chosen(std::span<const double> values) const;
  std::vector<double> clean_flows(std::span<const double> values, const std::vector<bool>& chosen) const;
  std::vector<double> visits_of(const std::vector<double>& flows) const;
  double carried_rps(const std::vector<double>& visits, const Allocation& plan) const;
  void take_smallest_batches(const std::vector<double>& visits, Allocation& plan) const;
  void add_paths(const std::vector<double>& flows, Allocation& plan) const;

  const AllocationProblem& problem_;
  const AugmentedGraph& graph_;
  Goal goal_;
  std::vector<std::vector<int>> children_;    // prefixes that continue each prefix
  std::vector<std::vector<int>> through_;     // prefixes that end at each vertex
  std::vector<std::vector<int>> choices_;     // vertices of each module
  std::vector<int> workers_, picks_, flows_;  // variables by vertex and prefix; -1 in picks_: no choice
  Milp milp_;
};

}  // namespace harness
