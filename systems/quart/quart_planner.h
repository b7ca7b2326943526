// QUART's replicas and cores (section 5, Algorithm 1): the rate's need, Correct, Smooth and AllocateCPU, each
// period.
#pragma once

#include <memory>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/quart/quart_params.h"

namespace harness {

/// Batches of at most `max_batch`; the GPUs of all replicas are at most the cluster's. Later plans change the
/// replicas that `current` says, whoever set them. QuartNotes name the key stages. Throws ParamError where
/// cores are wanted that cannot be planned, InputError where the cluster lacks a GPU for one instance of each
/// stage. `context` outlives it; all modules run in batches, and there are no task trees.
std::unique_ptr<Planner> make_quart_planner(const ServingContext& context, const QuartParams& params);

}  // namespace harness
