// The servers of a cell's cluster, and what they must hold.
#pragma once

#include <memory>
#include <string>

#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/settings.h"
#include "harness/serving/plan.h"
#include "harness/serving/system.h"

namespace harness {

/// Of [cluster], for a run whose profiles and number of GPUs are known. Throws InputError: GPUs that do not
/// fill servers, what servers do not have yet, an instance that is larger than its GPUs or a server, more
/// cores for a module than a server has, start-up times without the sizes that they need.
ServerShape servers_of(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run);

/// The servers of a runtime that has none: real GPUs. Throws InputError.
void check_servers_simulated(const ExperimentSpec& spec, const Settings& settings);

/// For a system that plans cores (System::plans_cores). Throws InputError: a profile without cpu_ms.
void check_cores(const SystemSpec& system, const RunSpec& run);

/// System::make_planner. A value of its parameters that it refuses is a ParamError that says where that was
/// set, or else where the system is named.
std::unique_ptr<Planner> planner_of(const System& system, const ServingContext& context,
                                    const Settings& settings, const InputPlace& named_at);

/// What lacks in the cluster for one instance of each module of the plan; empty: nothing, or it has no
/// servers. Placed one by one, those with most GPUs first, each on the first server with room.
std::string why_not_held(const RunSpec& run, const Plan& plan);

/// "3 servers of 4 GPUs, 108 cores, 1024 GB"; empty without servers.
std::string servers_text(const Settings& settings);

}  // namespace harness
