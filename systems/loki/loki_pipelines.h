// The pipelines that Loki plans for, and what they declare of their loads.
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// True if the pipeline is a tree (section 2.1) of tasks, or of modules that count as tasks of one variant
/// each, and all models run in batches on workers of their own. Other pipelines get the shared planner's
/// workers.
bool is_for_loki(const ServingContext& context);

/// Returns the fan-outs before anything is measured, by module and entry of `subs`: the means of the tasks;
/// for plain modules the probability that a visit goes on there.
std::vector<std::vector<double>> declared_fan_out(const Pipeline& pipeline);

/// Returns the visits/s at each task if requests come at `rate_rps` and the most accurate variants do all
/// tasks. They are by module; only a task's first module has them.
std::vector<double> task_demands(const Pipeline& pipeline, const std::vector<std::vector<double>>& fan_out,
                                 double rate_rps);

}  // namespace harness
