// The choice among the plans with the same smallest burst tolerance. Eq. 2 looks only at the neediest model
// of a group, so it is content with all models in one group and all other GPUs unused. This step shares the
// load over the groups without lowering the tolerance (a reconstruction: the paper names no second goal).
#pragma once

#include <span>
#include <vector>

#include "systems/shepherd/herd_packing.h"
#include "systems/shepherd/herd_plan.h"

namespace harness {

/// Returns the largest load per GPU of any group. A group's load is the sum of n over its model-streams.
double largest_load(std::span<const HerdItem> items, const std::vector<HerdGroup>& groups);

/// Returns the packing as groups, each with all shares of its models. GPUs that are left over go one by one
/// to the group with the most load per GPU.
std::vector<HerdGroup> as_groups(std::span<const HerdItem> items, const HerdPacking& plan,
                                 const GroupLimits& limits);

/// Returns the best, by largest_load(), of as_groups() and two other plans. In these, GPUs that are left over
/// go to the affinity-sets by their load, the groups of a set are about equal (first plan) or full (second
/// plan), and the model-streams, in descending order of need, each go to the group that has the least load
/// per GPU with it. The smallest burst tolerance of every plan is at least the packing's. Groups hold indices
/// of items, not of models.
std::vector<HerdGroup> spread(std::span<const HerdItem> items, const HerdPacking& plan,
                              const GroupLimits& limits);

}  // namespace harness
