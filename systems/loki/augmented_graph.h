// The augmented graph of Loki (section 4.1), its vertices being variants with a batch size: paths that take
// too long are then absent, and Constraints 4 to 7 hold for every flow through it.
#pragma once

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

}  // namespace harness
