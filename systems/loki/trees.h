// What Loki plans for: which pipelines, what they say of their loads, and the Metadata Store of both its
// parts.
#pragma once

#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

// What Loki's Resource Manager and Load Balancer both go by: the Metadata Store (section 3).

/// Written by the planner, which gives the routers of its system a copy with each plan.
struct Metadata final : PlanNotes {
  /// Moving average of the demand at the root, at least what is planned for, with headroom.
  double demand_rps = 0;
  std::vector<std::vector<double>> fan_out;  ///< by module and entry of its `subs`: visits there per visit
  /// Proteus: by module, of its task's visits; empty under the other systems.
  std::vector<double> share;
};

/// Whether the pipeline is a tree (section 2.1) of tasks, or of modules that are tasks of one variant each,
/// and all models run in batches on workers of their own. Others get the shared planner's workers.
bool is_for_loki(const ServingContext& context);

/// By module and entry of `subs`, before anything is measured: the means of the tasks; of plain modules the
/// probability that a visit goes on there.
std::vector<std::vector<double>> declared_fan_out(const Pipeline& pipeline);

/// By module: visits there, at its task's first module, of a request whose tasks are done by the most
/// accurate variants, times `rate_rps`.
std::vector<double> task_demands(const Pipeline& pipeline, const std::vector<std::vector<double>>& fan_out,
                                 double rate_rps);

}  // namespace harness
