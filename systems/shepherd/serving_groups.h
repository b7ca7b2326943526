// HERD's plan as the engine's groups of workers (SHEPHERD, section 3.2).
#pragma once

#include <vector>

#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/shepherd/herd_plan.h"
#include "systems/shepherd/herd_planner_params.h"

namespace harness {

/// True if streams enter at independent models. Otherwise (requests go through a pipeline, or there is one
/// stream for one model) one group has all GPUs and models (one_group_plan).
bool is_for_herd(const ServingContext& context);

/// Returns HERD's serving groups for measured rates, one per module; without groups if HERD has no plan or no
/// rate is positive.
HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps);

/// Returns HERD's serving groups of a cell for which is_for_herd() is true. Model m is module m. Throws
/// InputError with HERD's reason if there is no plan, and if the plan would have more groups than a plan may
/// have.
HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

/// Returns `groups` as a plan of the engine, with batches of at most `max_batch` and the models' shares.
Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch);

}  // namespace harness
