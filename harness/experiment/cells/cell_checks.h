// What an experiment's pipelines, traces and systems cannot do together.
#pragma once

#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/expansion.h"

namespace harness {

/// Throws InputError for what cannot be served: streams by a system that knows one pipeline, independent
/// pipelines by one load, task trees by a system that chooses no variants.
void check_served(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines,
                  const std::vector<Cell>& cells);

/// Throws InputError for what only requests to task trees can ask for, where a pipeline is none.
void check_requests(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines);

/// Throws InputError for what the shared planner would refuse for other reasons than the SLO.
void check_settings(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run);

/// Throws InputError for a planner.placement that the pipeline and the cluster cannot have, or a system that
/// serves by its own plans alone.
void check_placement(const ExperimentSpec& spec, const SystemSpec& named, const System& system,
                     const RunSpec& run);

/// Throws InputError where `planner.initial_workers` leaves less of a first plan, which nothing changes
/// later: the system has a planner and no period, or nobody autoscales. `run` has its system and its sample.
void check_plans_again(const ExperimentSpec& spec, const std::string& system, const RunSpec& run,
                       const Plan& plan);

}  // namespace harness
