// What is behind HERD's plans: for groups with given models only the largest need n of each counts, and the
// memory decides which models can be together. So a plan is a packing into groups, and the sizes follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace harness {

/// A model as packing sees it.
struct HerdItem {
  int model = 0;
  double need = 0;  ///< GPUs that one of its model-streams needs for its average load (n of section 4)
  std::int64_t bytes = 0;
  int set = 0;     ///< its affinity-set
  int shares = 1;  ///< its model-streams
};

/// Groups of items, by index, each ascending and of one affinity-set. Items are ordered by descending need
/// everywhere here, so a group's first item has its largest.
using Packing = std::vector<std::vector<int>>;

/// Sizes of groups for the largest minimum of size / need.
struct Sizes {
  double tolerance = 0;  ///< that minimum; infinite where no group has a need
  std::vector<int> gpus;
};

/// The fewest GPUs, at least 1, with which `need` has the burst tolerance `tolerance`.
int required_gpus(double need, double tolerance);

/// The best sizes of groups whose largest needs are `tops`: each at least 1 and at most `limit`, `gpus`
/// together at most. GPUs that no longer help the minimum are left over. Empty `gpus` when there are more
/// groups than GPUs.
Sizes best_sizes(std::span<const double> tops, int gpus, int limit);

/// The needs of the models that at the least begin new groups: whichever packing there is, the b-th largest
/// of its groups' largest needs is at least the b-th of these, and it has at least as many groups. Martello
/// and Toth's bound L2 over every prefix of the items, by affinity-set; descending.
std::vector<double> least_tops(std::span<const HerdItem> items, std::int64_t capacity);

/// Packs by first fit or best fit. The items are taken class by class, `classes` >= 1 of about equal numbers
/// in order of need, and by descending bytes within one: with 1 class memory is used best, with as many
/// classes as items the groups' largest needs fall fastest. Every item must fit alone.
Packing pack(std::span<const HerdItem> items, std::int64_t capacity, int classes, bool best_fit);

/// A packing with its sizes.
struct SizedGroups {
  Packing groups;
  Sizes sizes;
};

/// What limits a plan's groups.
struct GroupLimits {
  int gpus = 0;
  int group_gpus = 0;
  int groups = 0;
  std::int64_t bytes = 0;  ///< of models in one group
};

/// The largest needs of the groups.
std::vector<double> tops_of(std::span<const HerdItem> items, const Packing& groups);

/// The best of many packings (classes, kinds of fit, and combinations of these by affinity-set), or nothing
/// when all have too many groups. Stops early at `bound`.
std::optional<SizedGroups> best_packing(std::span<const HerdItem> items, const GroupLimits& limits,
                                        double bound);

// HERD's integer program where packing by rules leaves a question open.
//
// Eq. 2 with its max-min goal and its product of variables becomes linear for a given tolerance t: a group
// whose first model (in order of need) is r then takes c_r = required_gpus(n_r, t) GPUs. Naming each group by
// its first model leaves none of the symmetry between groups.

enum class ExactAnswer { kFound, kNoPacking, kOpen };

struct ExactResult {
  ExactAnswer answer = ExactAnswer::kOpen;  ///< kNoPacking is proven; kOpen: the node limit came first
  Packing groups;                           ///< kFound
  long nodes = 0;
};

/// Is there a packing with which every model has at least the burst tolerance `tolerance`?
ExactResult find_packing(std::span<const HerdItem> items, const GroupLimits& limits, double tolerance,
                         long max_nodes);

/// All values size / need that a minimum burst tolerance can have, strictly above `low` and up to `high`,
/// ascending.
std::vector<double> tolerances_between(std::span<const HerdItem> items, int group_gpus, double low,
                                       double high);

}  // namespace harness
