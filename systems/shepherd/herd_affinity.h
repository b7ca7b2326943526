// How far models' latencies diverge (SHEPHERD, section 5.2), and HERD's affinity-sets (section 4).
#pragma once

#include <span>
#include <vector>

#include "systems/shepherd/herd.h"
#include "systems/shepherd/herd_packing.h"

namespace harness {

// Which of the plans with the same smallest burst tolerance to take. Eq. 2 looks at the neediest model of a
// group only, so that it is content with all models in one group and all other GPUs unused; this step shares
// the load over the groups without lowering the tolerance (a reconstruction: the paper names no second goal).

/// Load per GPU of the group that has most of it, load being the sum of n over its model-streams.
double largest_load(std::span<const HerdItem> items, const std::vector<HerdGroup>& groups);

/// The packing as groups, each with all shares of its models. GPUs that are left over go one by one to the
/// group with the most load per GPU.
std::vector<HerdGroup> as_groups(std::span<const HerdItem> items, const SizedGroups& plan,
                                 const GroupLimits& limits);

/// The best by largest_load() of as_groups() and of two other plans, in which GPUs that are left over go to
/// the affinity-sets by their load, the groups of a set are about equal or full, and model-streams go in
/// descending order of need each to the group that it leaves with the least load per GPU. The smallest burst
/// tolerance is at least the packing's in all of them. Groups hold indices of items, not models.
std::vector<HerdGroup> spread(std::span<const HerdItem> items, const SizedGroups& plan,
                              const GroupLimits& limits);

/// A(m_i, m_j) of section 5.2: near 1 for models with like alpha and beta, larger the more they diverge. Not
/// symmetric. Needs alpha > 0 of both.
double affinity(const HerdModel& i, const HerdModel& j);

/// K of two models: the larger of both directions (Eq. 4).
double divergence(const HerdModel& i, const HerdModel& j);

/// The affinity-set of each model, 0, 1, ...: K between any two models of one set is at most `limit`; a limit
/// of 0 puts all into one set. Models are taken by ascending alpha, then beta, each into the first set that
/// it agrees with (a reconstruction: the paper says only "a partitioning").
std::vector<int> affinity_sets(std::span<const HerdModel> models, double limit);

}  // namespace harness
