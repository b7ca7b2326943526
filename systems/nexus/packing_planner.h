// Nexus's planner for independent models (SHEPHERD, section 7: "Nexus").
#pragma once

#include <memory>
#include <vector>

#include "harness/core/profile.h"
#include "harness/serving/load_statistics.h"
#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

/// True if Nexus plans by packing: there are two or more modules, each a model on GPUs that takes requests
/// from streams and sends nothing on.
bool has_independent_models(const ServingContext& context);

/// Returns one session per module, in order, with the shortest SLO of its streams (0 without streams), less
/// the network's part, and the rate to provision for. `profiles` are the modules' profiles with the margin.
std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params);

/// Makes a planner that uses squishy bin packing (pack_onto): a group of one worker for each node, with the
/// batches of its sessions and its duty cycle. A module's own maximum batch size is the largest of its nodes'
/// sizes; a module without a node has no workers, and its visits are dropped. The rate to provision for is
/// the largest over a second (LoadStatistics::peak_rps) if that is known; else the rate that the streams
/// promise or, later, sent in the period before; or an equal share for each stream. A later plan keeps the
/// nodes of the plan before it that it needs again (continued_plan). The context outlives the planner.
std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params);

}  // namespace harness
