// The planner of a placement: the experiment says which modules each worker serves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/pipeline.h"
#include "harness/serving/planner.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/worker_group.h"

namespace harness {

/// Returns the workers of `placement`, which commas separate: "a b, a c". Each worker is a group of its own
/// that serves the modules named there. Throws InputError at `place` if there is no worker or more than
/// `workers`, if a worker has no module, or if a module is not in the pipeline or twice on one worker.
std::vector<WorkerGroup> placed_groups(const Pipeline& pipeline, int workers, const std::string& placement,
                                       const InputPlace& place = {});

/// Makes the planner of a placement, for make_sizing_planner.
std::unique_ptr<Planner> make_placed_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

}  // namespace harness
