// Nexus's latency split: divides a pipeline's SLO over its modules (Nexus, SOSP'19, complex query
// scheduling).
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// A module as the split sees it.
struct SplitModule {
  const Profile* profile = nullptr;
  double rate = 1;      ///< visits per request, or these times a factor common to all modules
  int max_batch = 1;    ///< size of the largest batch that counts
  TimeNs least_ns = 0;  ///< least budget that may be given
};

/// Returns the least GPU load of a module with that budget: rate / the largest throughput of batches of b
/// with 2 x latency(b) <= budget, which a saturated session runs. Returns infinity if the budget is below
/// least_ns or no batch fits.
double split_cost(const SplitModule& module, TimeNs budget_ns);

/// True if every module takes the output of at most one other, as the dynamic programme needs.
bool is_tree(const Pipeline& pipeline);

/// Returns the step in which an SLO is divided: the wanted one, or a larger one that makes at most 2000
/// steps, because the dynamic programme is quadratic in them.
TimeNs split_step(TimeNs slo_ns, TimeNs wanted_ns);

/// Returns one budget per module, multiples of `step_ns`, such that along every path from the entry they sum
/// to at most `slo_ns` and the sum of the modules' costs is least. Among equal solutions the entry's budget
/// is smallest, then its successors' (R). Uses dynamic programming over the discretised budgets, from the
/// sinks up. Returns an empty list if there is no solution. The pipeline must be a tree.
std::vector<TimeNs> split_latency(const Pipeline& pipeline, const std::vector<SplitModule>& modules,
                                  TimeNs slo_ns, TimeNs step_ns);

}  // namespace harness
