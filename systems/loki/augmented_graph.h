// The augmented graph of Loki (section 4.1). Its vertices are variants with a batch size, so that paths which
// take too long are absent and Constraints 4 to 7 hold for every flow through it.
#pragma once

#include <cstddef>
#include <vector>

#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"

namespace harness {

/// A variant with a batch size that may be worth choosing: no other batch size of the variant is as fast and
/// has as much throughput.
struct GraphVertex {
  ModuleId variant = 0;
  int batch = 1;
  TimeNs latency_ns = 0;
  double rate_rps = 0;  ///< q: visits/s of one worker
};

/// A path from the root to `vertex`. A path to a sink within the latency limit begins with it, whichever
/// sinks come after it.
struct GraphPrefix {
  int vertex = 0;
  int parent = -1;      ///< index of the prefix without the last vertex; -1: `vertex` is at the root
  int sub = 0;          ///< entry of the parent's `subs` that leads here
  double visits = 1;    ///< m: number of visits at the vertex by a request that comes this way
  double accuracy = 1;  ///< product of the variants' accuracies
  TimeNs latency_ns = 0;
  bool sink = false;
};

struct AugmentedGraph {
  std::vector<GraphVertex> vertices;  ///< vertices by variant, then batch; each is on some prefix
  std::vector<GraphPrefix> prefixes;  ///< prefixes, parents first; empty: no path ends in time
  int sinks = 0;                      ///< number of tasks without a task after them
  double least_workers_per_rps = 0;   ///< workers that any plan needs at least for each request/s; 0: unknown
};

/// The most prefixes that a graph may have; HARNESS_CHECK refuses more.
inline constexpr std::size_t kMaxPrefixes = 200'000;

/// Returns the graph of the variants that are `allowed`, by module. The pipeline must be a tree.
AugmentedGraph augmented_graph(const AllocationProblem& problem, const std::vector<bool>& allowed);

/// Returns, by module, true if the variant may be used: all may, or only the variants of the largest accuracy
/// in their task (Eq. 8 to 10).
std::vector<bool> allowed_variants(const Pipeline& pipeline, Variants variants);

}  // namespace harness
