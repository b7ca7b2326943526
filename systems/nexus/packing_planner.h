// Nexus's planner for independent models (SHEPHERD, section 7: "Nexus").
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

// Nexus on a cluster of fixed size: the rates that a packing of its sessions satisfies completely (SHEPHERD,
// section 7.1).

/// A packing on as many nodes as there are.
struct SizedPacking {
  Packing packing;                    ///< at most as many nodes as GPUs; indices of the sessions given
  double rate_factor = 1;             ///< it is for all rates times this
  std::vector<std::size_t> left_out;  ///< sessions that have no node though an idle GPU could serve them
};

/// "With a fixed number of workers, Nexus can only make its planning decision assuming a specific arrival
/// rate that it can completely satisfy": if the packing at the given rates needs more than `gpus` nodes, all
/// rates are multiplied by the largest factor at which it fits, found by bisection (to 1e-12; the number of
/// nodes may fall now and then as the rates grow: then one of the factors beyond which it does not). If it
/// needs fewer, the rest is unused or, with kScaled, the factor grows above 1. If even a
/// millionth of the rates needs too many nodes (sessions that share none, or one whose rate is a million
/// times what the GPUs serve), the session with the smallest rate (of equals the last) is left out, then the
/// next (R): to serve all at less than that would be to serve none. Sessions without a rate get no node.
SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare);

/// Whether Nexus plans by packing: two or more modules, each a model on GPUs that takes requests from streams
/// and sends nothing on.
bool has_independent_models(const ServingContext& context);

/// One session per module, in order: the shortest SLO of its streams (0 without streams), less the network's
/// part; the rate to provision for. `profiles`: by module, with the margin.
std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params);

/// Plans by squishy bin packing (pack_onto): a group of one worker for each node, with the batches of its
/// sessions and its duty cycle. A module's own maximum batch size is the largest of its nodes'; one without a
/// node has no workers, and its visits are dropped. The rate to provision for is the largest over a second
/// (LoadStatistics::peak_rps) if that is known; else what the streams promise or, later, sent in the period
/// before; or an equal share for each stream. A later plan has the nodes of the one before it that it needs
/// again (continued_plan). The context outlives the planner.
std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params);

}  // namespace harness
