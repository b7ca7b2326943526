#include "systems/shepherd/herd_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/param_list.h"
#include "systems/shepherd/find_packing.h"
#include "systems/shepherd/group_sizes.h"
#include "systems/shepherd/herd_affinity.h"
#include "systems/shepherd/herd_packing.h"
#include "systems/shepherd/herd_spread.h"

namespace harness {
namespace {

void check(const HerdInput& input) {
  HARNESS_CHECK(input.gpus > 0 && input.gpu_bytes > 0, "a plan needs GPUs and memory");
  for (const HerdModel& model : input.models) {
    HARNESS_CHECK(std::isfinite(model.rate_rps) && model.rate_rps >= 0,
                  "a model's rate is negative or not finite");
    HARNESS_CHECK(std::isfinite(model.goodput_rps) && model.goodput_rps >= 0,
                  "a model's goodput is negative or not finite");
    HARNESS_CHECK(model.bytes >= 0, "a model's size is negative");
  }
}

HerdPlan infeasible(std::string reason) {
  HerdPlan plan;
  plan.status = HerdStatus::kInfeasible;
  plan.reason = std::move(reason);
  return plan;
}

std::int64_t capacity_of(const HerdInput& input) {
  return input.gpu_bytes - static_cast<std::int64_t>(input.params.reserved_mb * kBytesPerMb);
}

std::string mb_text(std::int64_t bytes) { return text_of(static_cast<double>(bytes) / kBytesPerMb); }

// Says why some model cannot be served at all; "" if all can.
std::string unservable(const HerdInput& input) {
  const std::int64_t capacity = capacity_of(input);
  for (const HerdModel& model : input.models) {
    if (model.bytes > capacity)
      return "model " + model.name + " fits in no group: it has " + mb_text(model.bytes) + " MB, a GPU has " +
             mb_text(std::max<std::int64_t>(capacity, 0)) +
             " MB for models (herd_gpu_memory_mb - herd_reserved_mb)";
    if (model.rate_rps > 0 && model.goodput_rps <= 0)
      return "model " + model.name + " has a rate, and no goodput on a GPU";
  }
  return {};
}

std::vector<HerdItem> items_of(const HerdInput& input, const std::vector<int>& sets) {
  std::vector<HerdItem> items;
  for (std::size_t i = 0; i < input.models.size(); ++i) {
    const HerdModel& model = input.models[i];
    const int shares = shares_of(model, input.params);
    const double need = model.rate_rps > 0 ? model.rate_rps / model.goodput_rps / shares : 0;
    items.push_back({static_cast<int>(i), need, model.bytes, sets[i], shares});
  }
  const auto key = [](const HerdItem& item) { return std::tuple(-item.need, -item.bytes, item.model); };
  std::sort(items.begin(), items.end(),
            [&](const HerdItem& a, const HerdItem& b) { return key(a) < key(b); });
  return items;
}

double gap_of(double value, double bound) {
  if (value >= bound || bound <= 0) return 0;
  return std::isinf(bound) ? 1 : (bound - value) / bound;
}

// The search of one plan: what is known of the best from below (`best`) and from above (`bound`).
class Search {
 public:
  Search(std::vector<HerdItem> items, const GroupLimits& limits, const HerdParams& params)
      : items_(std::move(items)), limits_(limits), params_(params) {}

  // False, with a reason, if there is surely no plan.
  bool run() {
    const std::vector<double> tops = least_tops(items_, limits_.bytes);
    const int most = std::min(limits_.groups, limits_.gpus);
    if (static_cast<int>(tops.size()) > most) {
      reason = "memory and affinity need at least " + std::to_string(tops.size()) + " groups, of " +
               std::to_string(most) + " allowed";
      return false;
    }
    bound = best_sizes(tops, limits_.gpus, limits_.group_gpus).tolerance;
    best = best_packing(items_, limits_, bound);
    if (static_cast<int>(items_.size()) > params_.exact_models) return true;
    if (!best && !settle_existence()) return false;
    if (best) close_gap();
    return true;
  }

  double value() const { return best ? best->sizes.tolerance : 0; }
  const std::vector<HerdItem>& items() const { return items_; }

  std::optional<HerdPacking> best;
  double bound = 0;
  int programs = 0;
  long nodes = 0;
  std::string reason;

 private:
  ExactAnswer ask(double tolerance) {
    ExactResult result = find_packing(items_, limits_, tolerance, params_.max_nodes);
    ++programs;
    nodes += result.nodes;
    if (result.answer != ExactAnswer::kFound) return result.answer;
    GroupSizes sizes = best_sizes(tops_of(items_, result.groups), limits_.gpus, limits_.group_gpus);
    HARNESS_CHECK(sizes.tolerance >= tolerance, "sizes fall short of a packing that was found");
    if (!best || sizes.tolerance > best->sizes.tolerance)
      best = HerdPacking{std::move(result.groups), std::move(sizes)};
    return ExactAnswer::kFound;
  }

  bool settle_existence() {
    if (ask(0) != ExactAnswer::kNoPacking) return true;
    reason = "no packing of the models into at most " +
             std::to_string(std::min(limits_.groups, limits_.gpus)) + " groups fits in memory";
    return false;
  }

  // Bisects the values that the optimum can have.
  void close_gap() {
    std::vector<double> open = tolerances_between(items_, limits_.group_gpus, value(), bound);
    while (!open.empty() && gap_of(value(), bound) > params_.relative_gap) {
      const std::size_t middle = open.size() / 2;
      const ExactAnswer answer = ask(open[middle]);
      if (answer == ExactAnswer::kOpen) return;
      if (answer == ExactAnswer::kNoPacking) {
        open.resize(middle);
        bound = open.empty() ? value() : open.back();
      } else {
        open.erase(open.begin(), std::upper_bound(open.begin(), open.end(), value()));
      }
    }
    if (open.empty()) bound = value();
  }

  std::vector<HerdItem> items_;
  GroupLimits limits_;
  HerdParams params_;
};

GroupLimits limits_of(const HerdInput& input) {
  const int limit = input.params.group_worker_limit > 0 ? input.params.group_worker_limit : input.gpus;
  const int groups = input.params.max_groups > 0 ? input.params.max_groups : input.gpus;
  return {input.gpus, std::min(limit, input.gpus), groups, capacity_of(input)};
}

// Replaces indices of items by models, ascending.
void name_models(const std::vector<HerdItem>& items, std::vector<HerdGroup>& groups) {
  for (HerdGroup& group : groups) {
    std::vector<std::pair<int, int>> members;
    for (std::size_t i = 0; i < group.models.size(); ++i)
      members.emplace_back(items[static_cast<std::size_t>(group.models[i])].model, group.shares[i]);
    std::sort(members.begin(), members.end());
    for (std::size_t i = 0; i < members.size(); ++i) std::tie(group.models[i], group.shares[i]) = members[i];
  }
}

// Returns groups of indices of items.
std::vector<HerdGroup> groups_of_items(const HerdInput& input, const Search& search,
                                       const GroupLimits& limits) {
  return input.params.spread ? spread(search.items(), *search.best, limits)
                             : as_groups(search.items(), *search.best, limits);
}

double smallest_tolerance(const std::vector<HerdItem>& items, const std::vector<HerdGroup>& groups) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const HerdGroup& group : groups) {
    for (const int index : group.models) {
      const double need = items[static_cast<std::size_t>(index)].need;
      if (need > 0) smallest = std::min(smallest, group.gpus / need);
    }
  }
  return smallest;
}

}  // namespace

std::vector<double> aggregate_rates(int models, std::span<const HerdStream> streams) {
  std::vector<double> rates(static_cast<std::size_t>(models), 0);
  for (const HerdStream& stream : streams) {
    HARNESS_CHECK(stream.model >= 0 && stream.model < models, "a stream of an unknown model");
    rates[static_cast<std::size_t>(stream.model)] += stream.rate_rps;
  }
  return rates;
}

int shares_of(const HerdModel& model, const HerdParams& params) {
  return model.streams > 0 ? std::min(params.shares, model.streams) : params.shares;
}

HerdPlan plan_herd(const HerdInput& input) {
  check(input);
  if (std::string reason = unservable(input); !reason.empty()) return infeasible(std::move(reason));
  const std::vector<int> sets = affinity_sets(input.models, input.params.affinity_limit);
  const GroupLimits limits = limits_of(input);
  Search search(items_of(input, sets), limits, input.params);
  if (!search.run()) {
    HerdPlan plan = infeasible(std::move(search.reason));
    plan.programs = search.programs;
    plan.nodes = search.nodes;
    return plan;
  }
  HerdPlan plan;
  plan.programs = search.programs;
  plan.nodes = search.nodes;
  plan.bound = search.bound;
  plan.affinity_sets = sets.empty() ? 0 : *std::max_element(sets.begin(), sets.end()) + 1;
  if (!search.best) {
    plan.gap = 1;
    plan.reason = "no packing of the models into the allowed groups was found, and none proven impossible";
    return plan;
  }
  plan.groups = groups_of_items(input, search, limits);
  plan.min_burst_tolerance = smallest_tolerance(search.items(), plan.groups);
  name_models(search.items(), plan.groups);
  plan.gap = gap_of(plan.min_burst_tolerance, plan.bound);
  plan.status = plan.gap <= input.params.relative_gap ? HerdStatus::kOptimal : HerdStatus::kFeasible;
  return plan;
}

}  // namespace harness
