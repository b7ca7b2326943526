// The augmented graph of Loki (section 4.1), its vertices being variants with a batch size: paths that take
// too long are then absent, and Constraints 4 to 7 hold for every flow through it.
#pragma once

#include <cstddef>
#include <vector>

#include "systems/loki/allocation.h"

namespace harness {

/// A variant with a batch size that may be worth choosing: no other of the same variant is as fast and has
/// as much throughput.
struct GraphVertex {
  ModuleId variant = 0;
  int batch = 1;
  TimeNs latency_ns = 0;
  double rate_rps = 0;  ///< q: of one worker
};

/// A path from the root to `vertex`, which a path to a sink within the latency limit begins with, whichever
/// sinks lie after it.
struct GraphPrefix {
  int vertex = 0;
  int parent = -1;      ///< the prefix without the last vertex; -1: at the root
  int sub = 0;          ///< entry of the parent's `subs` that leads here
  double visits = 1;    ///< m: at the vertex, by a request that comes this way
  double accuracy = 1;  ///< product of the variants' accuracies
  TimeNs latency_ns = 0;
  bool sink = false;
};

struct AugmentedGraph {
  std::vector<GraphVertex> vertices;  ///< by variant, then batch; each on some prefix
  std::vector<GraphPrefix> prefixes;  ///< parents first; empty: no path ends in time
  int sinks = 0;                      ///< tasks without a task after them
  double least_workers_per_rps = 0;   ///< no plan needs less for each request/s at the root; 0: unknown
};

/// Paths of more variants with batch sizes than this are refused (HARNESS_CHECK).
inline constexpr std::size_t kMaxPrefixes = 200'000;

/// `allowed`: by module. The pipeline must be a tree.
AugmentedGraph augmented_graph(const AllocationProblem& problem, const std::vector<bool>& allowed);

/// By module: all, or those of the largest accuracy in their task (Eq. 8 to 10).
std::vector<bool> allowed_variants(const Pipeline& pipeline, Variants variants);

// A relaxation of Loki's accuracy scaling (section 4.1) that needs no solver: workers come in parts and cost
// a price, so that each request takes the path that is worth most, whatever the others do.

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
