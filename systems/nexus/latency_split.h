// Nexus's latency split: how much of a pipeline's SLO each module gets (Nexus, SOSP'19, complex query
// scheduling).
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"

namespace harness {

/// One module, as the split sees it.
struct SplitModule {
  const Profile* profile = nullptr;
  double rate = 1;      ///< visits of this module per request, or any common multiple of that
  int max_batch = 1;    ///< no larger batch counts
  TimeNs least_ns = 0;  ///< no smaller budget is given
};

/// Least GPU load (rate / largest throughput) of a module with that budget: a saturated session runs batches
/// of b with 2 x latency(b) <= budget. Infinity when the budget is below least_ns or no batch fits.
double split_cost(const SplitModule& module, TimeNs budget_ns);

/// Whether every module takes the output of at most one other, which the dynamic programme needs.
bool is_tree(const Pipeline& pipeline);

/// The step in which an SLO is divided: the wanted one, or a larger one that makes at most 2000 steps,
/// because the dynamic programme is quadratic in them.
TimeNs split_step(TimeNs slo_ns, TimeNs wanted_ns);

/// One budget per module, multiples of `step_ns`, such that along every path from the entry they sum to at
/// most `slo_ns` and the sum of the modules' costs is least; among equals the entry's budget is smallest,
/// then its successors' (R). Dynamic programming over the discretised budgets, from the sinks up. Empty when
/// there is no solution. The pipeline is a tree.
std::vector<TimeNs> split_latency(const Pipeline& pipeline, const std::vector<SplitModule>& modules,
                                  TimeNs slo_ns, TimeNs step_ns);

}  // namespace harness
