// Nexus on a cluster of fixed size: the rates that a packing of its sessions satisfies completely
// (SHEPHERD, section 7.1).
#pragma once

#include <cstddef>
#include <vector>

#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

/// A packing that fits the GPUs, and what was given up for it.
struct SizedPacking {
  /// Packing with at most as many nodes as GPUs. It names sessions by index in the `sessions` of pack_onto().
  SquishyPacking packing;
  double rate_factor = 1;             ///< factor by which all rates were multiplied before packing
  std::vector<std::size_t> left_out;  ///< sessions left out so that the others fit, the rarest first
};

/// Packs onto a fixed number of GPUs. "With a fixed number of workers, Nexus can only make its planning
/// decision assuming a specific arrival rate that it can completely satisfy": if the packing at the given
/// rates needs more than `gpus` nodes, all rates are multiplied by a factor below 1, found by bisection (to
/// 1e-12). It is a boundary: the packing fits at this factor and not just above it. As the number of nodes
/// may fall now and then while the rates grow, it is not surely the largest factor at which the packing fits.
/// If the packing at the given rates fits, the factor is 1 and GPUs that it does not need are unused; with
/// NexusSpare::kScaled the factor grows above 1 instead, to such a boundary. If even a millionth of the rates
/// needs too many nodes (sessions that share no node, or one whose rate is a million times what the GPUs
/// serve), the session with the smallest rate is left out, among equal ones the last, and so on until the
/// others fit. This is reconstructed: at a factor below a millionth practically no session would be served.
/// Sessions without a rate get no node.
SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare);

}  // namespace harness
