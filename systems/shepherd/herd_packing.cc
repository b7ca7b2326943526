#include "systems/shepherd/herd_packing.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace harness {
namespace {

int sets_of(std::span<const HerdItem> items) {
  int sets = 0;
  for (const HerdItem& item : items) sets = std::max(sets, item.set + 1);
  return sets;
}

// L2 of a growing set of items: for every threshold t, items above capacity - t are alone, items above half
// the capacity do not share with each other, and items from t up to half the capacity fill the room that
// these leave.
class GrowingBound {
 public:
  GrowingBound(std::vector<std::int64_t> thresholds, std::int64_t capacity)
      : capacity_(capacity), sums_(thresholds.size()) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].threshold = thresholds[i];
  }

  void add(std::int64_t bytes) {
    for (Sums& sums : sums_) {
      if (bytes > capacity_ - sums.threshold) {
        ++sums.alone;
      } else if (2 * bytes > capacity_) {
        ++sums.large;
        sums.large_bytes += bytes;
      } else if (bytes >= sums.threshold) {
        sums.small_bytes += bytes;
      }
      const std::int64_t excess = sums.small_bytes - (sums.large * capacity_ - sums.large_bytes);
      const std::int64_t more = excess > 0 ? (excess + capacity_ - 1) / capacity_ : 0;
      groups_ = std::max(groups_, sums.alone + sums.large + more);
    }
  }
  std::int64_t groups() const { return groups_; }

 private:
  struct Sums {
    std::int64_t threshold = 0;
    std::int64_t alone = 0;
    std::int64_t large = 0;
    std::int64_t large_bytes = 0;
    std::int64_t small_bytes = 0;
  };
  std::int64_t capacity_;
  std::vector<Sums> sums_;
  std::int64_t groups_ = 0;
};

// 0, which makes L2 the bound by volume, and at most 15 of the sizes up to half the capacity.
std::vector<std::int64_t> thresholds_of(std::span<const HerdItem> items, int set, std::int64_t capacity) {
  std::vector<std::int64_t> sizes;
  for (const HerdItem& item : items)
    if (item.set == set && 2 * item.bytes <= capacity) sizes.push_back(item.bytes);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  constexpr std::size_t kMax = 15;
  std::vector<std::int64_t> thresholds = {0};
  const std::size_t count = std::min(sizes.size(), kMax);
  for (std::size_t i = 0; i < count; ++i) thresholds.push_back(sizes[i * sizes.size() / count]);
  return thresholds;
}

// Packs the items of `order`, all of one set, and appends the groups.
void pack_in_order(std::span<const HerdItem> items, std::span<const int> order, std::int64_t capacity,
                   bool best_fit, ItemGroups& groups) {
  const std::size_t begin = groups.size();
  std::vector<std::int64_t> room;
  for (const int index : order) {
    const std::int64_t bytes = items[static_cast<std::size_t>(index)].bytes;
    std::size_t chosen = room.size();
    for (std::size_t g = 0; g < room.size(); ++g) {
      if (room[g] < bytes || (chosen < room.size() && room[g] >= room[chosen])) continue;
      chosen = g;
      if (!best_fit) break;
    }
    if (chosen == room.size()) {
      room.push_back(capacity);
      groups.emplace_back();
    }
    room[chosen] -= bytes;
    groups[begin + chosen].push_back(index);
  }
  for (std::size_t g = begin; g < groups.size(); ++g) std::sort(groups[g].begin(), groups[g].end());
}

void pack_set(std::span<const HerdItem> items, std::span<const int> members, std::int64_t capacity,
              int classes, bool best_fit, ItemGroups& groups) {
  std::vector<int> order(members.begin(), members.end());
  const auto count = static_cast<std::int64_t>(order.size());
  const auto key = [&](std::int64_t rank) {
    const int index = members[static_cast<std::size_t>(rank)];
    return std::tuple(rank * classes / count, -items[static_cast<std::size_t>(index)].bytes, index);
  };
  std::vector<std::tuple<std::int64_t, std::int64_t, int>> keys;
  for (std::int64_t rank = 0; rank < count; ++rank) keys.push_back(key(rank));
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = std::get<2>(keys[i]);
  pack_in_order(items, order, capacity, best_fit, groups);
}

std::vector<std::vector<int>> members_of_sets(std::span<const HerdItem> items) {
  std::vector<std::vector<int>> members(static_cast<std::size_t>(sets_of(items)));
  for (std::size_t i = 0; i < items.size(); ++i)
    members[static_cast<std::size_t>(items[i].set)].push_back(static_cast<int>(i));
  return members;
}

// Returns the packings of one set, by all classes and both kinds of fit.
std::vector<ItemGroups> candidates_of(std::span<const HerdItem> items, std::span<const int> members,
                                      std::int64_t capacity) {
  std::vector<ItemGroups> candidates;
  const int count = static_cast<int>(members.size());
  for (std::int64_t classes = 1;; classes = std::min<std::int64_t>(classes * 2, count)) {
    for (const bool best_fit : {false, true}) {
      ItemGroups packing;
      pack_set(items, members, capacity, static_cast<int>(classes), best_fit, packing);
      candidates.push_back(std::move(packing));
    }
    if (classes == count) return candidates;
  }
}

ItemGroups joined(const std::vector<std::vector<ItemGroups>>& candidates,
                  const std::vector<std::size_t>& chosen) {
  ItemGroups groups;
  for (std::size_t set = 0; set < candidates.size(); ++set) {
    const ItemGroups& packing = candidates[set][chosen[set]];
    groups.insert(groups.end(), packing.begin(), packing.end());
  }
  return groups;
}

}  // namespace

std::vector<double> least_tops(std::span<const HerdItem> items, std::int64_t capacity) {
  std::vector<GrowingBound> bounds;
  for (int set = 0; set < sets_of(items); ++set)
    bounds.emplace_back(thresholds_of(items, set, capacity), capacity);
  std::vector<double> tops;
  for (const HerdItem& item : items) {
    GrowingBound& bound = bounds[static_cast<std::size_t>(item.set)];
    const std::int64_t before = bound.groups();
    bound.add(item.bytes);
    tops.insert(tops.end(), static_cast<std::size_t>(bound.groups() - before), item.need);
  }
  return tops;
}

ItemGroups pack(std::span<const HerdItem> items, std::int64_t capacity, int classes, bool best_fit) {
  ItemGroups groups;
  for (const std::vector<int>& members : members_of_sets(items))
    pack_set(items, members, capacity, classes, best_fit, groups);
  return groups;
}

std::vector<double> tops_of(std::span<const HerdItem> items, const ItemGroups& groups) {
  std::vector<double> tops;
  for (const std::vector<int>& group : groups)
    tops.push_back(items[static_cast<std::size_t>(group.front())].need);
  return tops;
}

std::optional<HerdPacking> best_packing(std::span<const HerdItem> items, const GroupLimits& limits,
                                        double bound) {
  std::vector<std::vector<ItemGroups>> candidates;
  for (const std::vector<int>& members : members_of_sets(items))
    candidates.push_back(candidates_of(items, members, limits.bytes));
  // Begin with the fewest groups of each set, then let one set after the other choose, while that helps.
  std::vector<std::size_t> chosen;
  for (const std::vector<ItemGroups>& of_set : candidates) {
    const auto fewer = [](const ItemGroups& a, const ItemGroups& b) { return a.size() < b.size(); };
    chosen.push_back(
        static_cast<std::size_t>(std::min_element(of_set.begin(), of_set.end(), fewer) - of_set.begin()));
  }
  std::optional<HerdPacking> best;
  const auto consider = [&](const std::vector<std::size_t>& choice) {
    ItemGroups groups = joined(candidates, choice);
    if (static_cast<int>(groups.size()) > limits.groups) return false;
    GroupSizes sizes = best_sizes(tops_of(items, groups), limits.gpus, limits.group_gpus);
    if (sizes.gpus.size() != groups.size() || (best && sizes.tolerance <= best->sizes.tolerance))
      return false;
    best = HerdPacking{std::move(groups), std::move(sizes)};
    return true;
  };
  consider(chosen);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t set = 0; set < candidates.size(); ++set) {
      for (std::size_t i = 0; i < candidates[set].size(); ++i) {
        if (best && best->sizes.tolerance >= bound) return best;
        std::vector<std::size_t> choice = chosen;
        choice[set] = i;
        if (!consider(choice)) continue;
        chosen = std::move(choice);
        better = true;
      }
    }
  }
  return best;
}

}  // namespace harness
