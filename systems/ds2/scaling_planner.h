// DS2's scaling policy and manager (Kalavri et al., OSDI'18): the parallelism of all operators at once.
#pragma once

#include <memory>

#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/ds2/scaling_params.h"

namespace harness {

/// Returns DS2's planner. Each module runs on its fastest kind of device at batch 1, with ceil(input rate /
/// true rate x (1 + margin)) workers. The first plan is for the mean rate of the sample or, if there is no
/// sample, for the rate to provision for.
///
/// Later plans are the medians of the last `activation` decisions. Intervals that it ignores (the warm-up,
/// and after a change also the halt) make no decision. A plan stays in force unless a module needs more
/// workers, or at least `least_decrease` fewer.
///
/// `context` must outlive it; all modules must run in batches.
std::unique_ptr<Planner> make_scaling_planner(const ServingContext& context, const ScalingParams& params);

}  // namespace harness
