#include "systems/shepherd/herd_spread.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "systems/shepherd/group_sizes.h"

namespace harness {
namespace {

const HerdItem& at(std::span<const HerdItem> items, int index) {
  return items[static_cast<std::size_t>(index)];
}

double load_of(std::span<const HerdItem> items, const HerdGroup& group) {
  double load = 0;
  for (std::size_t i = 0; i < group.models.size(); ++i)
    load += group.shares[i] * at(items, group.models[i]).need;
  return load;
}

// A group that is being filled; counts[item] model-streams of an item are in it.
struct OpenGroup {
  int gpus = 0;
  int set = 0;
  std::int64_t room = 0;
  double load = 0;
  std::vector<int> counts;
};

// The groups and GPUs of an affinity-set, its load, and how many groups it may have.
struct SetShare {
  int groups = 0;
  int gpus = 0;
  int most_groups = 0;
  double load = 0;
};

SetShare* most_loaded(std::vector<SetShare>& sets, const auto& may_have_more, const auto& units) {
  SetShare* most = nullptr;
  for (SetShare& set : sets) {
    if (!may_have_more(set)) continue;
    if (most == nullptr || set.load * units(*most) > most->load * units(set)) most = &set;
  }
  return most;
}

// From the packing's groups and sizes on, further groups and then further GPUs go one by one to the set that
// has the most load per group or per GPU.
std::vector<SetShare> shares_of_sets(std::span<const HerdItem> items, const HerdPacking& plan,
                                     const GroupLimits& limits) {
  std::vector<SetShare> sets;
  int gpus_left = limits.gpus;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const auto set = static_cast<std::size_t>(at(items, plan.groups[g].front()).set);
    sets.resize(std::max(sets.size(), set + 1));
    ++sets[set].most_groups;
    sets[set].gpus += plan.sizes.gpus[g];
    gpus_left -= plan.sizes.gpus[g];
    for (const int index : plan.groups[g]) sets[set].load += at(items, index).shares * at(items, index).need;
  }
  const auto always = [](const SetShare&) { return true; };
  const auto groups = [](const SetShare& set) { return set.most_groups; };
  int groups_left = std::min(limits.groups, limits.gpus) - static_cast<int>(plan.groups.size());
  std::vector<SetShare> packed = sets;
  for (; groups_left > 0; --groups_left) ++most_loaded(sets, always, groups)->most_groups;
  const auto has_room = [&](const SetShare& set) {
    return static_cast<std::int64_t>(set.most_groups) * limits.group_gpus > set.gpus;
  };
  const auto gpus = [](const SetShare& set) { return set.gpus; };
  for (; gpus_left > 0; --gpus_left) {
    SetShare* set = most_loaded(sets, has_room, gpus);
    if (set == nullptr) break;
    ++set->gpus;
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const int full = (sets[i].gpus + limits.group_gpus - 1) / limits.group_gpus;
    sets[i].groups = std::max(full, packed[i].most_groups);
  }
  return sets;
}

// Empty groups. The groups of a set are about equal, or as many as possible have the limit's size.
std::vector<OpenGroup> empty_groups(const std::vector<SetShare>& sets, const GroupLimits& limits, bool equal,
                                    std::size_t items) {
  std::vector<OpenGroup> groups;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    int left = sets[set].gpus;
    for (int after = sets[set].groups - 1; after >= 0; --after) {
      const int size = equal ? (left + after) / (after + 1) : std::min(limits.group_gpus, left - after);
      groups.push_back({size, static_cast<int>(set), limits.bytes, 0, std::vector<int>(items, 0)});
      left -= size;
    }
  }
  return groups;
}

// Puts one model-stream of `index` where it leaves the least load per GPU. False if there is no room.
bool place(std::span<const HerdItem> items, int index, int required, std::vector<OpenGroup>& groups) {
  const HerdItem& item = at(items, index);
  OpenGroup* best = nullptr;
  for (OpenGroup& group : groups) {
    const bool held = group.counts[static_cast<std::size_t>(index)] > 0;
    if (group.set != item.set || group.gpus < required || (!held && group.room < item.bytes)) continue;
    if (best == nullptr || (group.load + item.need) * best->gpus < (best->load + item.need) * group.gpus)
      best = &group;
  }
  if (best == nullptr) return false;
  if (best->counts[static_cast<std::size_t>(index)]++ == 0) best->room -= item.bytes;
  best->load += item.need;
  return true;
}

// All first model-streams in the given order, then the further ones round by round.
bool fill(std::span<const HerdItem> items, std::span<const int> order, double tolerance,
          std::vector<OpenGroup>& groups) {
  int rounds = 0;
  for (const HerdItem& item : items) rounds = std::max(rounds, item.shares);
  for (int round = 0; round < rounds; ++round) {
    for (const int index : order) {
      const HerdItem& item = at(items, index);
      if (round < item.shares && !place(items, index, required_gpus(item.need, tolerance), groups))
        return false;
    }
  }
  return true;
}

std::vector<HerdGroup> closed(const std::vector<OpenGroup>& open) {
  std::vector<HerdGroup> groups;
  for (const OpenGroup& from : open) {
    HerdGroup group{.gpus = from.gpus, .models = {}, .shares = {}};
    for (std::size_t i = 0; i < from.counts.size(); ++i) {
      if (from.counts[i] == 0) continue;
      group.models.push_back(static_cast<int>(i));
      group.shares.push_back(from.counts[i]);
    }
    if (!group.models.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

// Fills `empty`; without any group if the models do not fit.
std::vector<HerdGroup> filled(std::span<const HerdItem> items, double tolerance,
                              std::vector<OpenGroup> empty) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<OpenGroup> groups = empty;
  if (fill(items, order, tolerance, groups)) return closed(groups);
  // Memory is short: the largest models first.
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return at(items, a).bytes > at(items, b).bytes; });
  groups = std::move(empty);
  if (fill(items, order, tolerance, groups)) return closed(groups);
  return {};
}

}  // namespace

double largest_load(std::span<const HerdItem> items, const std::vector<HerdGroup>& groups) {
  double largest = 0;
  for (const HerdGroup& group : groups) largest = std::max(largest, load_of(items, group) / group.gpus);
  return largest;
}

std::vector<HerdGroup> as_groups(std::span<const HerdItem> items, const HerdPacking& plan,
                                 const GroupLimits& limits) {
  std::vector<HerdGroup> groups;
  int left = limits.gpus;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    HerdGroup& group = groups.emplace_back(HerdGroup{plan.sizes.gpus[g], plan.groups[g], {}});
    for (const int index : group.models) group.shares.push_back(at(items, index).shares);
    left -= plan.sizes.gpus[g];
  }
  for (; left > 0; --left) {
    HerdGroup* most = nullptr;
    for (HerdGroup& group : groups) {
      if (group.gpus >= limits.group_gpus) continue;
      if (most == nullptr || load_of(items, group) * most->gpus > load_of(items, *most) * group.gpus)
        most = &group;
    }
    if (most == nullptr) break;
    ++most->gpus;
  }
  return groups;
}

std::vector<HerdGroup> spread(std::span<const HerdItem> items, const HerdPacking& plan,
                              const GroupLimits& limits) {
  std::vector<HerdGroup> best = as_groups(items, plan, limits);
  const std::vector<SetShare> sets = shares_of_sets(items, plan, limits);
  for (const bool equal : {true, false}) {
    std::vector<HerdGroup> groups =
        filled(items, plan.sizes.tolerance, empty_groups(sets, limits, equal, items.size()));
    if (!groups.empty() && largest_load(items, groups) < largest_load(items, best)) best = std::move(groups);
  }
  return best;
}

}  // namespace harness
