// A relaxation of Loki's accuracy scaling (section 4.1) that needs no solver: workers come in parts and cost
// a price, so that each request takes the path that is worth most, whatever the others do.
#pragma once

#include <cstddef>
#include <vector>

#include "systems/loki/augmented_graph.h"

namespace harness {

class PricedPaths {
 public:
  /// Both are kept by reference. `graph` has a prefix.
  PricedPaths(const AllocationProblem& problem, const AugmentedGraph& graph);

  /// Sets the price of a worker, in accuracy, to the least from `worker_weight` to 1 at which the best paths
  /// need no more than S workers; or to 1.
  void find_price();

  double price() const { return price_; }

  /// No plan for the problem's demand has an accuracy, less the price of its workers, above this.
  double most_worth() const { return best_worth_.front(); }

  /// By vertex: what is lost at least by each worker's load that goes there instead of on the best paths.
  std::vector<double> losses() const;

 private:
  double choose(double price);
  std::size_t place_of(const GraphPrefix& prefix) const;

  const AllocationProblem& problem_;
  const AugmentedGraph& graph_;
  double price_ = 0;
  std::vector<double> load_;        // by prefix: in workers, were all requests to take it
  std::vector<double> worth_;       // by prefix: with the best ways on
  std::vector<std::size_t> first_;  // by prefix: the place of its first sub
  std::vector<double> best_worth_;  // by place, of which 0 is the root
  std::vector<double> best_load_;
};

}  // namespace harness
