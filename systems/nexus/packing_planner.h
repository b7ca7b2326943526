// Nexus's planner for models side by side (SHEPHERD, section 7: "Nexus").
#pragma once

#include <memory>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/planner.h"
#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

/// Whether Nexus plans by packing: two or more modules, each a model on GPUs that takes requests from streams
/// and sends nothing on.
bool is_side_by_side(const ServingContext& context);

/// One session per module, in order: the shortest SLO of its streams (0 without streams), less the network's
/// part; the rate to provision for. `profiles`: by module, with the margin.
std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params);

/// Plans by squishy bin packing (pack_onto): a group of one worker for each node, with the batches of its
/// sessions and its duty cycle. A module's own batch cap is the largest of its nodes'; one without a node has
/// no workers, and its visits are dropped. The rate to provision for is the largest over a second
/// (LoadStatistics::peak_rps) if that is known; else what the streams promise or, later, sent in the period
/// before; or an equal share for each stream. A later plan has the nodes of the one before it that it needs
/// again (continued_plan). The context outlives the planner.
std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params);

}  // namespace harness
