// Nexus on a cluster of fixed size: the rates that a packing of its sessions satisfies completely (SHEPHERD,
// section 7.1).
#pragma once

#include <cstddef>
#include <vector>

#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

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

}  // namespace harness
