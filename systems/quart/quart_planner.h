// QUART's replicas and cores (section 5, Algorithm 1): each period runs the rate's need, Correct, Smooth and
// AllocateCPU.
#pragma once

#include <memory>

#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/quart/quart_params.h"

namespace harness {

/// Returns QUART's planner. Batches have at most `max_batch` visits, and the GPUs of all replicas are at most
/// the cluster's. Later plans change the replicas in `current`, whoever set them. QuartPlanDetails name the
/// key stages. Throws ParamError if cores are wanted that cannot be planned, InputError if the cluster has
/// too few GPUs for one instance of each stage. `context` must outlive it; all modules must run in batches,
/// and there may be no task trees.
std::unique_ptr<Planner> make_quart_planner(const ServingContext& context, const QuartParams& params);

}  // namespace harness
