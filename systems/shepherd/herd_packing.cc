#include "systems/shepherd/herd_packing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "harness/serving/milp.h"

namespace harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double tolerance_of(int gpus, double need) { return need > 0 ? gpus / need : kInfinity; }

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
                   bool best_fit, Packing& groups) {
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
              int classes, bool best_fit, Packing& groups) {
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
std::vector<Packing> candidates_of(std::span<const HerdItem> items, std::span<const int> members,
                                   std::int64_t capacity) {
  std::vector<Packing> candidates;
  const int count = static_cast<int>(members.size());
  for (std::int64_t classes = 1;; classes = std::min<std::int64_t>(classes * 2, count)) {
    for (const bool best_fit : {false, true}) {
      Packing packing;
      pack_set(items, members, capacity, static_cast<int>(classes), best_fit, packing);
      candidates.push_back(std::move(packing));
    }
    if (classes == count) return candidates;
  }
}

Packing joined(const std::vector<std::vector<Packing>>& candidates, const std::vector<std::size_t>& chosen) {
  Packing groups;
  for (std::size_t set = 0; set < candidates.size(); ++set) {
    const Packing& packing = candidates[set][chosen[set]];
    groups.insert(groups.end(), packing.begin(), packing.end());
  }
  return groups;
}

}  // namespace

int required_gpus(double need, double tolerance) {
  if (need <= 0 || tolerance <= 0) return 1;
  constexpr double kMax = 1e9;
  int gpus = static_cast<int>(std::clamp(std::ceil(need * tolerance), 1.0, kMax));
  // Rounding may leave it one off: the quotient decides, as the plan reports it.
  while (gpus > 1 && (gpus - 1) / need >= tolerance) --gpus;
  while (gpus / need < tolerance && gpus < static_cast<int>(kMax)) ++gpus;
  return gpus;
}

Sizes best_sizes(std::span<const double> tops, int gpus, int limit) {
  Sizes sizes;
  if (static_cast<int>(tops.size()) > gpus || limit < 1) return sizes;
  sizes.gpus.assign(tops.size(), 1);
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lowest;
  for (std::size_t g = 0; g < tops.size(); ++g) lowest.push({tolerance_of(1, tops[g]), g});
  int left = gpus - static_cast<int>(tops.size());
  while (!lowest.empty()) {
    const auto [tolerance, g] = lowest.top();
    sizes.tolerance = tolerance;
    if (left == 0 || sizes.gpus[g] == limit || tolerance == kInfinity) return sizes;
    lowest.pop();
    --left;
    lowest.push({tolerance_of(++sizes.gpus[g], tops[g]), g});
  }
  sizes.tolerance = kInfinity;
  return sizes;
}

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

Packing pack(std::span<const HerdItem> items, std::int64_t capacity, int classes, bool best_fit) {
  Packing groups;
  for (const std::vector<int>& members : members_of_sets(items))
    pack_set(items, members, capacity, classes, best_fit, groups);
  return groups;
}

std::vector<double> tops_of(std::span<const HerdItem> items, const Packing& groups) {
  std::vector<double> tops;
  for (const std::vector<int>& group : groups)
    tops.push_back(items[static_cast<std::size_t>(group.front())].need);
  return tops;
}

std::optional<SizedGroups> best_packing(std::span<const HerdItem> items, const GroupLimits& limits,
                                        double bound) {
  std::vector<std::vector<Packing>> candidates;
  for (const std::vector<int>& members : members_of_sets(items))
    candidates.push_back(candidates_of(items, members, limits.bytes));
  // Begin with the fewest groups of each set, then let one set after the other choose, while that helps.
  std::vector<std::size_t> chosen;
  for (const std::vector<Packing>& of_set : candidates) {
    const auto fewer = [](const Packing& a, const Packing& b) { return a.size() < b.size(); };
    chosen.push_back(
        static_cast<std::size_t>(std::min_element(of_set.begin(), of_set.end(), fewer) - of_set.begin()));
  }
  std::optional<SizedGroups> best;
  const auto consider = [&](const std::vector<std::size_t>& choice) {
    Packing groups = joined(candidates, choice);
    if (static_cast<int>(groups.size()) > limits.groups) return false;
    Sizes sizes = best_sizes(tops_of(items, groups), limits.gpus, limits.group_gpus);
    if (sizes.gpus.size() != groups.size() || (best && sizes.tolerance <= best->sizes.tolerance))
      return false;
    best = SizedGroups{std::move(groups), std::move(sizes)};
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

namespace {

// Sizes are stated in parts of the capacity, so that the solver sees numbers of one magnitude. A group that
// is full to the byte may seem over by rounding; the slack is less than a byte of any GPU's memory.
constexpr double kSlack = 1e-12;

class PackingProgram {
 public:
  PackingProgram(std::span<const HerdItem> items, const GroupLimits& limits, double tolerance)
      : items_(items), limits_(limits) {
    for (const HerdItem& item : items) gpus_.push_back(required_gpus(item.need, tolerance));
    add_variables();
    add_assignment();
    add_capacity();
    add_totals();
    add_prefixes();
  }

  const MilpProblem& problem() const { return problem_; }

  Packing packing(const std::vector<double>& values) const {
    Packing groups;
    for (std::size_t first = 0; first < items_.size(); ++first) {
      if (values[static_cast<std::size_t>(opens_[first])] < 0.5) continue;
      groups.push_back({static_cast<int>(first)});
      for (std::size_t k = first + 1; k < items_.size(); ++k) {
        const int joins = joins_[first][k];
        if (joins >= 0 && values[static_cast<std::size_t>(joins)] > 0.5)
          groups.back().push_back(static_cast<int>(k));
      }
    }
    return groups;
  }

 private:
  // opens_[r]: model r is the first of a group. joins_[r][k]: model k is in the group of r; -1: cannot be.
  void add_variables() {
    const std::size_t count = items_.size();
    joins_.assign(count, std::vector<int>(count, -1));
    for (std::size_t r = 0; r < count; ++r) {
      const bool allowed = gpus_[r] <= limits_.group_gpus;
      opens_.push_back(problem_.add_variable(0, allowed ? 1 : 0, -gpus_[r], true));
    }
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t k = r + 1; k < count; ++k) {
        const bool together =
            items_[r].set == items_[k].set && items_[r].bytes + items_[k].bytes <= limits_.bytes;
        if (together) joins_[r][k] = problem_.add_variable(0, 1, 0, true);
      }
    }
  }

  void add_assignment() {
    for (std::size_t k = 0; k < items_.size(); ++k) {
      std::vector<MilpTerm> terms = {{opens_[k], 1}};
      for (std::size_t r = 0; r < k; ++r) {
        if (joins_[r][k] < 0) continue;
        terms.push_back({joins_[r][k], 1});
        problem_.add_row(-kMilpInfinity, 0, std::vector<MilpTerm>{{joins_[r][k], 1}, {opens_[r], -1}});
      }
      problem_.add_row(1, 1, terms);
    }
  }

  double part(std::int64_t bytes) const {
    return static_cast<double>(bytes) / static_cast<double>(limits_.bytes);
  }

  void add_capacity() {
    for (std::size_t r = 0; r < items_.size(); ++r) {
      std::vector<MilpTerm> terms = {{opens_[r], -part(limits_.bytes - items_[r].bytes) - kSlack}};
      for (std::size_t k = r + 1; k < items_.size(); ++k)
        if (joins_[r][k] >= 0) terms.push_back({joins_[r][k], part(items_[k].bytes)});
      problem_.add_row(-kMilpInfinity, 0, terms);
    }
  }

  void add_totals() {
    std::vector<MilpTerm> groups, gpus;
    for (std::size_t r = 0; r < items_.size(); ++r) {
      groups.push_back({opens_[r], 1});
      gpus.push_back({opens_[r], static_cast<double>(std::min(gpus_[r], limits_.gpus + 1))});
    }
    problem_.add_row(-kMilpInfinity, limits_.groups, groups);
    problem_.add_row(-kMilpInfinity, limits_.gpus, gpus);
  }

  // Whatever the packing, the models up to some need are in at least so many groups.
  void add_prefixes() {
    std::vector<MilpTerm> terms;
    std::size_t known = 0;
    for (std::size_t r = 0; r < items_.size(); ++r) {
      terms.push_back({opens_[r], 1});
      const std::size_t least = least_tops(items_.first(r + 1), limits_.bytes).size();
      if (least > known) problem_.add_row(static_cast<double>(least), kMilpInfinity, terms);
      known = least;
    }
  }

  std::span<const HerdItem> items_;
  GroupLimits limits_;
  std::vector<int> gpus_;
  std::vector<int> opens_;
  std::vector<std::vector<int>> joins_;
  MilpProblem problem_;
};

bool fits(std::span<const HerdItem> items, const Packing& groups, std::int64_t capacity) {
  return std::all_of(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
    std::int64_t bytes = 0;
    for (const int index : group) bytes += items[static_cast<std::size_t>(index)].bytes;
    return bytes <= capacity;
  });
}

}  // namespace

ExactResult find_packing(std::span<const HerdItem> items, const GroupLimits& limits, double tolerance,
                         long max_nodes) {
  const PackingProgram program(items, limits, tolerance);
  // Any solution will do: a gap that the first one closes.
  const MilpSolution solution = solve(program.problem(), {.max_nodes = max_nodes, .relative_gap = 1});
  ExactResult result;
  result.nodes = solution.nodes;
  if (solution.status == MilpStatus::kInfeasible) result.answer = ExactAnswer::kNoPacking;
  if (solution.values.empty()) return result;
  result.groups = program.packing(solution.values);
  // The solver's tolerances are wider than a byte; a packing that uses them is no answer.
  if (fits(items, result.groups, limits.bytes)) result.answer = ExactAnswer::kFound;
  return result;
}

std::vector<double> tolerances_between(std::span<const HerdItem> items, int group_gpus, double low,
                                       double high) {
  std::vector<double> values;
  for (const HerdItem& item : items) {
    if (item.need <= 0) continue;
    for (int gpus = required_gpus(item.need, low); gpus <= group_gpus; ++gpus) {
      const double value = gpus / item.need;
      if (value > high) break;
      if (value > low) values.push_back(value);
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace harness
