#include "systems/shepherd/herd_spread.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

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

// Sizes of about equal groups that use all GPUs, each of at least `least` but perhaps the last; empty if
// none.
std::vector<int> equal_sizes(const GroupLimits& limits, int least) {
  const int count = std::min({limits.groups, limits.gpus / least, limits.gpus});
  if (count < 1) return {};
  const int size = std::min(limits.group_gpus, limits.gpus / count);
  std::vector<int> sizes(static_cast<std::size_t>(count), size);
  int left = limits.gpus - size * count;
  for (std::size_t g = 0; left > 0 && size < limits.group_gpus && g < sizes.size(); ++g, --left) ++sizes[g];
  if (left > 0 && count < limits.groups) sizes.push_back(std::min(left, limits.group_gpus));
  return sizes;
}

// How many groups each affinity-set gets of `groups`: as many as its packing has, then one by one to the set
// with the most load per group. Empty if the packing has more.
std::vector<int> groups_of_sets(std::span<const HerdItem> items, const Packing& packing, int groups) {
  std::vector<int> counts;
  std::vector<double> loads;
  for (const std::vector<int>& group : packing) {
    const auto set = static_cast<std::size_t>(at(items, group.front()).set);
    if (counts.size() <= set) {
      counts.resize(set + 1, 0);
      loads.resize(set + 1, 0);
    }
    ++counts[set];
    for (const int index : group) loads[set] += at(items, index).need;
  }
  int left = groups - static_cast<int>(packing.size());
  if (left < 0) return {};
  for (; left > 0; --left) {
    std::size_t most = 0;
    for (std::size_t set = 1; set < counts.size(); ++set)
      if (loads[set] * counts[most] > loads[most] * counts[set]) most = set;
    ++counts[most];
  }
  return counts;
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
bool fill(std::span<const HerdItem> items, std::span<const int> order, double tolerance, int shares,
          std::vector<OpenGroup>& groups) {
  for (int round = 0; round < shares; ++round)
    for (const int index : order)
      if (!place(items, index, required_gpus(at(items, index).need, tolerance), groups)) return false;
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

std::vector<HerdGroup> equal_groups(std::span<const HerdItem> items, const SizedPacking& plan,
                                    const GroupLimits& limits, int shares) {
  int least = 1;
  for (const HerdItem& item : items) least = std::max(least, required_gpus(item.need, plan.sizes.tolerance));
  const std::vector<int> sizes = equal_sizes(limits, least);
  const std::vector<int> of_sets = groups_of_sets(items, plan.groups, static_cast<int>(sizes.size()));
  if (of_sets.empty()) return {};
  std::vector<OpenGroup> empty;
  for (std::size_t set = 0; set < of_sets.size(); ++set)
    for (int i = 0; i < of_sets[set]; ++i)
      empty.push_back(
          {sizes[empty.size()], static_cast<int>(set), limits.bytes, 0, std::vector<int>(items.size(), 0)});
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<OpenGroup> groups = empty;
  if (fill(items, order, plan.sizes.tolerance, shares, groups)) return closed(groups);
  // Memory is short: the largest models first.
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return at(items, a).bytes > at(items, b).bytes; });
  groups = std::move(empty);
  if (fill(items, order, plan.sizes.tolerance, shares, groups)) return closed(groups);
  return {};
}

}  // namespace

double largest_load(std::span<const HerdItem> items, const std::vector<HerdGroup>& groups) {
  double largest = 0;
  for (const HerdGroup& group : groups) largest = std::max(largest, load_of(items, group) / group.gpus);
  return largest;
}

std::vector<HerdGroup> as_groups(std::span<const HerdItem> items, const SizedPacking& plan,
                                 const GroupLimits& limits, int shares) {
  std::vector<HerdGroup> groups;
  int left = limits.gpus;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    groups.push_back({plan.sizes.gpus[g], plan.groups[g], std::vector<int>(plan.groups[g].size(), shares)});
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

std::vector<HerdGroup> spread(std::span<const HerdItem> items, const SizedPacking& plan,
                              const GroupLimits& limits, int shares) {
  std::vector<HerdGroup> packed = as_groups(items, plan, limits, shares);
  std::vector<HerdGroup> equal = equal_groups(items, plan, limits, shares);
  const bool better = !equal.empty() && largest_load(items, equal) < largest_load(items, packed);
  return better ? equal : packed;
}

}  // namespace harness
