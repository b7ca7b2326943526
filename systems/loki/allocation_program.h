// The mixed-integer linear programs of Loki (section 4.1, Eq. 11 and 12) over an augmented graph.
//
// Of a vertex (variant and batch size): n, its workers; z, 1 if the variant has this batch size (left out
// where there is one to choose). Of a path from the root: f, the share of the requests that take it;
// Constraint 2 is linear in f and n, Constraints 6 and 7 hold by the choice of the paths. The sums of n over
// a variant and over a task are variables as well: whole numbers, on which to branch.
#pragma once

#include <span>
#include <vector>

#include "harness/serving/milp.h"
#include "systems/loki/augmented_graph.h"

namespace harness {

/// What is maximised, and whether the requests of `demand_rps` have to be served.
struct AllocationGoal {
  double demand_rps = 0;  ///< that f = 1 at the root stands for
  bool serve_all = true;  ///< else any share of it
  double accuracy = 0;    ///< worth of Eq. 12
  double served = 0;      ///< worth of the share served
  double worker = 0;      ///< worth of one worker less
};

class AllocationProgram {
 public:
  /// `graph` is kept by reference and has a prefix.
  AllocationProgram(const AllocationProblem& problem, const AugmentedGraph& graph,
                    const AllocationGoal& goal);

  const MilpProblem& milp() const { return milp_; }

  /// Variables that are not 0 in some plan that has workers at the vertices that `vertices` names alone.
  std::vector<bool> variables_of(const std::vector<bool>& vertices) const;

  /// The plan that `values` of the program stand for. `demand_rps` and `accuracy` are set; what was found of
  /// it (`optimal`, `gap`) is not.
  Allocation allocation(std::span<const double> values) const;

 private:
  void add_vertices();
  void add_flows();
  void add_balance();
  void add_loads();
  void add_choices();
  void add_task_sums();
  void add_sum(const std::vector<int>& vertices);
  double load_of(int prefix) const;  // in workers, were all requests to take it
  std::vector<bool> chosen(std::span<const double> values) const;
  std::vector<double> clean_flows(std::span<const double> values, const std::vector<bool>& chosen) const;
  std::vector<double> visits_of(const std::vector<double>& flows) const;
  double carried_rps(const std::vector<double>& visits, const Allocation& plan) const;
  void take_smallest_batches(const std::vector<double>& visits, Allocation& plan) const;
  void add_paths(const std::vector<double>& flows, Allocation& plan) const;

  const AllocationProblem& problem_;
  const AugmentedGraph& graph_;
  AllocationGoal goal_;
  std::vector<std::vector<int>> children_;    // by prefix
  std::vector<std::vector<int>> through_;     // by vertex: prefixes that end there
  std::vector<std::vector<int>> choices_;     // by module: its vertices
  std::vector<int> workers_, picks_, flows_;  // variables; picks_ -1: no choice
  MilpProblem milp_;
};

}  // namespace harness
