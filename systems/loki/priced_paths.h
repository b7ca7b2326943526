// A relaxation of Loki's accuracy scaling (section 4.1) that needs no solver: workers come in fractions and
// cost a price, so that each request takes the path that is worth most, whatever the others do.
#pragma once

#include <cstddef>
#include <vector>

#include "systems/loki/allocation_problem.h"
#include "systems/loki/augmented_graph.h"

namespace harness {

class PricedPaths {
 public:
  /// Keeps both by reference. `graph` must have a prefix.
  PricedPaths(const AllocationProblem& problem, const AugmentedGraph& graph);

  /// Sets the price of a worker, in accuracy, to the least price from `worker_weight` to 1 at which the best
  /// paths need no more than S workers; to 1 if they need more at any price.
  void find_price();

  double price() const { return price_; }

  /// Returns a bound: no plan for the problem's demand has an accuracy, less the price of its workers, above
  /// it.
  double most_worth() const { return best_worth_.front(); }

  /// Returns, by vertex, the least worth that is lost for each worker's load that goes there instead of on
  /// the best paths.
  std::vector<double> losses() const;

 private:
  double choose(double price);
  std::size_t place_of(const GraphPrefix& prefix) const;

  const AllocationProblem& problem_;
  const AugmentedGraph& graph_;
  double price_ = 0;
  std::vector<double> load_;        // load in workers if all requests took the prefix
  std::vector<double> worth_;       // worth of each prefix with the best ways on
  std::vector<std::size_t> first_;  // place of the first sub of each prefix
  std::vector<double> best_worth_;  // best worth by place; place 0 is the root
  std::vector<double> best_load_;
};

}  // namespace harness
