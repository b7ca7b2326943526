// HERD's plan as the engine's groups of workers (SHEPHERD, section 3.2).
#pragma once

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/shepherd/herd_input.h"

namespace harness {

/// Whether streams enter at independent models. Where requests go through a pipeline, or there is one
/// stream, one group has all GPUs and models (one_group_plan).
bool is_for_herd(const ServingContext& context);

/// HERD's serving groups for those rates, by module, which were measured; without groups where there is no
/// plan, and when nothing was measured.
HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps);

/// HERD's serving groups of a cell that is for it. Model m is module m. Throws InputError with HERD's reason
/// when there is no plan, and when it would have more groups than a plan may have.
HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

/// The same for the engine, with batches of at most `max_batch` and the models' shares.
Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch);

}  // namespace harness
