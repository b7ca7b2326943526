// Checks for what an experiment's pipelines, traces and systems cannot do together.
#pragma once

#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/cell.h"

namespace harness {

/// Throws InputError for a cell that cannot be served, such as streams with a system that knows one pipeline,
/// independent pipelines with a single load, task trees with a system that chooses no variants, or several
/// kinds of devices with a system that plans for one.
void check_served(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines,
                  const std::vector<Cell>& cells);

/// Throws InputError if the file sets a key that concerns task trees only, but a pipeline is not a task tree;
/// or if it sweeps such a key and no pipeline is one.
void check_requests(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines);

/// Throws InputError for what the shared planner would refuse for other reasons than the SLO.
void check_settings(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run);

/// Throws InputError for a planner.placement that the pipeline and the cluster cannot have, or with a system
/// that serves by its own plans only.
void check_placement(const ExperimentSpec& spec, const SystemSpec& named, const System& system,
                     const RunSpec& run);

/// Throws InputError if `planner.initial_workers` reduces a first plan that nothing changes later: the system
/// does not plan again, and nothing autoscales its plan. `run` must have its system and its sample.
void check_plans_again(const ExperimentSpec& spec, const std::string& system, const RunSpec& run,
                       const Plan& plan);

}  // namespace harness
