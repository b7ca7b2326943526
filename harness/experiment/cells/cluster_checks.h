// The servers of a cell's cluster, and checks of what they must hold.
#pragma once

#include <memory>
#include <string>

#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/settings.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/system.h"

namespace harness {

/// Returns the servers of [cluster] for a run whose profiles and number of GPUs are known. Throws InputError
/// for GPUs that do not fill servers, for what servers do not support yet, for an instance that is larger
/// than its GPUs or a server, for more cores for a module than a server has, and for start-up times without
/// the sizes that they need.
ServerShape servers_of(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run);

/// Throws InputError if the settings give servers: a runtime on real GPUs has none.
void check_servers_simulated(const ExperimentSpec& spec, const Settings& settings);

/// Throws InputError for a profile without cpu_ms; for a system that plans cores (SystemTraits::plans_cores).
void check_cores(const SystemSpec& system, const RunSpec& run);

/// Returns System::make_planner(). If the system refuses a value of its parameters, the ParamError gets the
/// place where the parameter was set, or else where the system is named.
std::unique_ptr<Planner> planner_of(const System& system, const ServingContext& context,
                                    const Settings& settings, const InputPlace& named_at);

/// Returns what the cluster lacks for one instance of each module of the plan; "" if it lacks nothing or has
/// no servers. The instances are placed one by one, the ones with most GPUs first, each on the first server
/// with room.
std::string why_not_held(const RunSpec& run, const Plan& plan);

/// Returns "3 servers of 4 GPUs, 108 cores, 1024 GB"; "" if there are no servers.
std::string servers_text(const Settings& settings);

}  // namespace harness
