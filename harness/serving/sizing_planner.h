// The planner that all systems share: it derives batch sizes from the SLO and numbers of workers from the
// rate (PARD section 5.1, "dynamic batching and resource scaling similar to Nexus and InferLine").
#pragma once

#include <memory>
#include <vector>

#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// Makes a planner of batch sizes and of each module's workers. It sizes by the profiles as measured,
/// whatever cores are fixed, and counts the cluster's GPUs, not the room on its servers. Throws InputError if
/// no batch size meets the SLO (even b = 1) or there are fewer workers than modules. If there is a placement,
/// the planner plans its groups once and for all, with batches of params.max_batch or the fixed ones,
/// whatever the SLO.
std::unique_ptr<Planner> make_sizing_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

/// Returns the batch sizes alone. Their aim is the least expected GPU time per request, the sum of v_k
/// d_k(b_k) / b_k, subject to sizing_factor x (longest path of d_k(b_k)) <= SLO and b_k <= max_batch; v_k is
/// the probability that a request visits the module (1 without choices, PARD section 5.2, or if branch shares
/// are unknown). The search is greedy: from b = 1 the module whose larger batch saves most GPU time per added
/// path latency grows first (R: the paper gives no rule). Modules with an override keep it.
std::vector<int> size_batches(const ServingContext& context, const PlannerParams& params,
                              const std::vector<ModuleOverride>& overrides);

/// Returns the visits/s at each module by the expected rates of the streams.
std::vector<double> stream_rps(const ServingContext& context);

/// Returns the requests/s that the plan carries at its batches. If modules have workers of their own, it is
/// the least over the modules of workers b / (v d). If the plan has groups, it is group_capacity_rps at the
/// modules' own batches, which is an upper bound if groups have smaller batches (WorkerGroup::max_batches) or
/// a cycle. v is the probability that a request visits the module or, with several streams, the module's
/// share of their expected rates. NaN for a task tree, because it depends on the variants chosen.
double capacity_rps(const ServingContext& context, const Plan& plan);

/// Returns the requests/s that the cluster's workers carry if they could be divided into parts, each working
/// at its model's best throughput, whatever the SLO. Streams send in proportion to their expected rates; the
/// tasks of a task tree are done by the most accurate variants.
double best_capacity_rps(const ServingContext& context);

}  // namespace harness
