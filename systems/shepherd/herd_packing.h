// The search behind HERD's plans. For groups with given models only the largest need n of each group counts,
// and the memory decides which models can be together. So a plan is a packing into groups, and the sizes
// follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace harness {

/// A model as the packing sees it.
struct HerdItem {
  int model = 0;
  double need = 0;  ///< number of GPUs for the average load of one of its model-streams (n of section 4)
  std::int64_t bytes = 0;
  int set = 0;     ///< its affinity-set
  int shares = 1;  ///< number of its model-streams
};

/// Groups of items by index, each ascending and of one affinity-set. Items are ordered by descending need
/// everywhere in this file, so a group's first item has the group's largest need.
using Packing = std::vector<std::vector<int>>;

/// Sizes of groups that make the minimum of size / need as large as possible.
struct Sizes {
  double tolerance = 0;  ///< the minimum of size / need; infinite if no group has a need
  std::vector<int> gpus;
};

/// Returns the smallest number of GPUs, at least 1, with which `need` has the burst tolerance `tolerance`.
int required_gpus(double need, double tolerance);

/// Returns the best sizes of groups whose largest needs are `tops`: each at least 1 and at most `limit`,
/// together at most `gpus`. GPUs that no longer help the minimum are left over. `gpus` of the result is empty
/// if there are more groups than GPUs.
Sizes best_sizes(std::span<const double> tops, int gpus, int limit);

/// Returns a lower bound of the groups' largest needs, in descending order: in any packing the b-th largest
/// of the groups' largest needs is at least the b-th of these, and there are at least as many groups. It is
/// Martello and Toth's bound L2 over every prefix of the items, by affinity-set.
std::vector<double> least_tops(std::span<const HerdItem> items, std::int64_t capacity);

/// Packs by first fit or best fit. The items are taken class by class (`classes` >= 1 of about equal numbers,
/// in order of need), and by descending bytes within a class: memory is used best with 1 class, and the
/// groups' largest needs fall fastest with as many classes as items. Every item must fit alone.
Packing pack(std::span<const HerdItem> items, std::int64_t capacity, int classes, bool best_fit);

/// A packing with its sizes.
struct SizedGroups {
  Packing groups;
  Sizes sizes;
};

/// The limits of a plan's groups.
struct GroupLimits {
  int gpus = 0;
  int group_gpus = 0;
  int groups = 0;
  std::int64_t bytes = 0;  ///< memory for the models of one group
};

/// Returns the largest need of each group.
std::vector<double> tops_of(std::span<const HerdItem> items, const Packing& groups);

/// Returns the best of many packings (by number of classes, kind of fit, and combinations of these by
/// affinity-set), or nothing if all have too many groups. Stops early at `bound`.
std::optional<SizedGroups> best_packing(std::span<const HerdItem> items, const GroupLimits& limits,
                                        double bound);

// HERD's integer program, for questions that packing by rules leaves open.
//
// Eq. 2 with its max-min goal and its product of variables becomes linear for a given tolerance t: a group
// whose first model (in order of need) is r then takes c_r = required_gpus(n_r, t) GPUs. As each group is
// named by its first model, the program has no symmetry between groups.

enum class ExactAnswer { kFound, kNoPacking, kOpen };

struct ExactResult {
  ExactAnswer answer = ExactAnswer::kOpen;  ///< kNoPacking is proven; kOpen: the node limit came first
  Packing groups;                           ///< kFound only
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
