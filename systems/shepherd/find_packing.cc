#include "systems/shepherd/find_packing.h"

#include <algorithm>

#include "harness/serving/milp.h"
#include "systems/shepherd/group_sizes.h"

namespace harness {
namespace {

// Sizes are stated in parts of the capacity, so that the solver sees numbers of one magnitude. A group
// that is full to the byte may seem over by rounding; the slack is less than a byte of any GPU's memory.
constexpr double kPartSlack = 1e-12;

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

  const Milp& problem() const { return problem_; }

  ItemGroups packing(const std::vector<double>& values) const {
    ItemGroups groups;
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
      std::vector<MilpTerm> terms = {{opens_[r], -part(limits_.bytes - items_[r].bytes) - kPartSlack}};
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
  Milp problem_;
};

bool fits(std::span<const HerdItem> items, const ItemGroups& groups, std::int64_t capacity) {
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
