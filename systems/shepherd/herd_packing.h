// The search behind HERD's plans. For groups with given models only the largest need n of each group counts,
// and the memory decides which models can be together. So a plan is a packing into groups, and the sizes
// follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "systems/shepherd/group_sizes.h"

namespace harness {

/// Groups of items by index, each ascending and of one affinity-set. Items are ordered by descending need
/// everywhere in this file, so a group's first item has the group's largest need.
using ItemGroups = std::vector<std::vector<int>>;

/// A packing with its sizes.
struct HerdPacking {
  ItemGroups groups;
  GroupSizes sizes;
};

/// A model as the packing sees it.
struct HerdItem {
  int model = 0;
  double need = 0;  ///< number of GPUs for the average load of one of its model-streams (n of section 4)
  std::int64_t bytes = 0;
  int set = 0;     ///< its affinity-set
  int shares = 1;  ///< number of its model-streams
};

/// Returns a lower bound of the groups' largest needs, in descending order: in any packing the b-th largest
/// of the groups' largest needs is at least the b-th of these, and there are at least as many groups. It is
/// Martello and Toth's bound L2 over every prefix of the items, by affinity-set.
std::vector<double> least_tops(std::span<const HerdItem> items, std::int64_t capacity);

/// Packs by first fit or best fit. The items are taken class by class (`classes` >= 1 of about equal numbers,
/// in order of need), and by descending bytes within a class: memory is used best with 1 class, and the
/// groups' largest needs fall fastest with as many classes as items. Every item must fit alone.
ItemGroups pack(std::span<const HerdItem> items, std::int64_t capacity, int classes, bool best_fit);

/// The limits of a plan's groups.
struct GroupLimits {
  int gpus = 0;
  int group_gpus = 0;
  int groups = 0;
  std::int64_t bytes = 0;  ///< memory for the models of one group
};

/// Returns the largest need of each group.
std::vector<double> tops_of(std::span<const HerdItem> items, const ItemGroups& groups);

/// Returns the best of many packings (by number of classes, kind of fit, and combinations of these by
/// affinity-set), or nothing if all have too many groups. Stops early at `bound`.
std::optional<HerdPacking> best_packing(std::span<const HerdItem> items, const GroupLimits& limits,
                                        double bound);

}  // namespace harness
