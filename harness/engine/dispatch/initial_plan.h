// What a run starts with: the serving context of its cell, the planner and the first plan.
#pragma once

#include <memory>

#include "harness/engine/run_spec.h"
#include "harness/serving/load_statistics.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// Returns the serving context of a cell. It points into `spec` and to `sizes`; planning needs no `sizes`.
ServingContext make_context(const RunSpec& spec, const RequestSizes* sizes = nullptr);
/// Returns the planner of the cell: the system's own, or one that sizes by the parameters.
std::unique_ptr<Planner> make_planner(const RunSpec& spec, const ServingContext& context);
/// Returns the load that a planner is told before the start.
LoadStatistics initial_load(const RunSpec& spec, const ServingContext& context, double offered_rps);
/// Returns `plan` with at most `planner.initial_workers` workers (0: no limit) for each group or, without
/// groups, each module. Shared servers and remote calls keep their slots, because slots are not replicas.
Plan start_of(const RunSpec& spec, Plan plan);
/// Returns the plan with which a cell starts: the planner's plan for `offered_rps`, refined by the system and
/// reduced by start_of.
Plan initial_plan(const RunSpec& spec, double offered_rps);
/// Returns the same plan, made by `planner`, which makes the later plans, too.
Plan initial_plan(const RunSpec& spec, const ServingContext& context, Planner& planner, double offered_rps);
/// If the cluster has several kinds of devices: gives each module its profile on the kind that `plan`, the
/// first plan of the run, names for it. Throws InputError if the cluster has too few devices of a kind.
void settle_devices(RunSpec& spec, const Plan& plan);

}  // namespace harness
