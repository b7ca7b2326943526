// HERD's integer program, for questions that packing by rules leaves open.
//
// Eq. 2 with its max-min goal and its product of variables becomes linear for a given tolerance t: a group
// whose first model (in order of need) is r then takes c_r = required_gpus(n_r, t) GPUs. As each group is
// named by its first model, the program has no symmetry between groups.
#pragma once

#include <span>
#include <vector>

#include "systems/shepherd/herd_packing.h"

namespace harness {

enum class ExactAnswer { kFound, kNoPacking, kOpen };

struct ExactResult {
  ExactAnswer answer = ExactAnswer::kOpen;  ///< kNoPacking is proven; kOpen: the node limit came first
  ItemGroups groups;                        ///< kFound only
  long nodes = 0;
};

/// Looks for a packing with which every model has at least the burst tolerance `tolerance`.
ExactResult find_packing(std::span<const HerdItem> items, const GroupLimits& limits, double tolerance,
                         long max_nodes);

/// Returns all values size / need that a minimum burst tolerance can have, strictly above `low` and up to
/// `high`, ascending.
std::vector<double> tolerances_between(std::span<const HerdItem> items, int group_gpus, double low,
                                       double high);

}  // namespace harness
