// Cocktail's resource manager over a pipeline: whole pipelines by a forecast of the load, and more of them if
// queues show that it was too low (Gunasekaran et al., NSDI'22; QUART, section 8.1).
#pragma once

#include <memory>
#include <vector>

#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/cocktail/pipeline_scaling_params.h"

namespace harness {

/// Returns the largest rate, in requests/s, of the windows of `window_ns` that begin at `from`, one after the
/// other, until `until`. `sent_ns` must be in order.
double largest_rate_rps(const std::vector<TimeNs>& sent_ns, TimeNs from, TimeNs until, TimeNs window_ns);

/// Returns Cocktail's planner, which is called every `window_s`. It plans whole pipelines for headroom x the
/// largest rate forecast for the time until the pipelines of the next forecast serve, which is `period_s` and
/// a start-up from now. It makes a forecast every `period_s` from the largest rate of a window since the one
/// before.
///
/// If the waiting requests make the longest path longer than the SLO, it adds one pipeline, or as many as
/// could serve them by the next look besides the arriving requests; it does so again only when those have
/// started. Pipelines go if they were not needed for `scale_in_s`. The first plan is for the rate to
/// provision for.
///
/// Throws InputError with the first plan if the cluster has too few GPUs for one pipeline. `context` must
/// outlive it; all modules must run in batches.
std::unique_ptr<Planner> make_pipeline_scaling(const ServingContext& context,
                                               const PipelineScalingParams& params);

}  // namespace harness
