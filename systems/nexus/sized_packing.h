// Nexus on a cluster of fixed size: the rates that a packing of its sessions satisfies completely
// (SHEPHERD, section 7.1).
#pragma once

#include <cstddef>
#include <vector>

#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

/// A packing on as many nodes as there are.
struct SizedPacking {
  /// Packing with at most as many nodes as GPUs; it has indices of the sessions given.
  SquishyPacking packing;
  double rate_factor = 1;             ///< factor of all rates for which it is made
  std::vector<std::size_t> left_out;  ///< sessions without a node though an idle GPU could serve them
};

/// Packs onto a fixed number of GPUs. "With a fixed number of workers, Nexus can only make its planning
/// decision assuming a specific arrival rate that it can completely satisfy": if the packing at the given
/// rates needs more than `gpus` nodes, all rates are multiplied by the largest factor at which it fits, found
/// by bisection (to 1e-12; as the number of nodes may fall now and then while the rates grow, it is one of
/// the factors above which the packing does not fit). If it needs fewer nodes, the rest is unused or, with
/// kScaled, the factor grows above 1. If even a millionth of the rates needs too many nodes (sessions that
/// share no node, or one whose rate is a million times what the GPUs serve), the session with the smallest
/// rate (of equals the last) is left out, then the next (R): serving all at less than that would mean to
/// serve no session. Sessions without a rate get no node.
SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare);

}  // namespace harness
