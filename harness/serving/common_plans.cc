#include "harness/serving/common_plans.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/input_error.h"

namespace harness {

void check_group_count(std::size_t groups) {
  if (groups <= kMaxGroups) return;
  throw InputError("the plan has " + std::to_string(groups) + " groups of workers, at most " +
                   std::to_string(kMaxGroups) + " are allowed");
}

bool suits(const Plan& plan, std::size_t modules) {
  const auto is_cap = [](int cap) { return cap >= 1; };
  const auto is_sound = [&](const WorkerGroup& group) {
    const std::size_t count = group.modules.size();
    return count > 0 && (group.max_batches.empty() || group.max_batches.size() == count) &&
           (group.shares.empty() || group.shares.size() == count) &&
           std::all_of(group.max_batches.begin(), group.max_batches.end(), is_cap) &&
           std::all_of(group.modules.begin(), group.modules.end(), [&](ModuleId m) { return m < modules; });
  };
  return plan.modules.size() == modules && plan.groups.size() <= kMaxGroups &&
         std::all_of(plan.modules.begin(), plan.modules.end(),
                     [&](const ModulePlan& module) { return is_cap(module.max_batch); }) &&
         std::all_of(plan.groups.begin(), plan.groups.end(), is_sound);
}

bool follows(const Plan& current, const Plan& next) {
  if (next.groups.size() > kMaxGroups || next.groups.size() < current.groups.size()) return false;
  const auto no_less = [](const ModulePlan& a, const ModulePlan& b) { return b.max_batch >= a.max_batch; };
  return std::equal(current.groups.begin(), current.groups.end(), next.groups.begin(), is_same_group) &&
         std::equal(current.modules.begin(), current.modules.end(), next.modules.begin(), next.modules.end(),
                    no_less);
}

Plan continued_plan(const Plan& current, const Plan& wanted) {
  Plan plan = wanted;
  plan.groups = current.groups;
  for (std::size_t m = 0; m < current.modules.size(); ++m) {
    if (current.modules[m].max_batch <= plan.modules[m].max_batch) continue;
    plan.modules[m].max_batch = current.modules[m].max_batch;
    plan.modules[m].exec_ns = current.modules[m].exec_ns;
  }
  // Sorted by what makes groups the same, then the largest first, so that equal groups meet in that order.
  using Key = std::tuple<const std::vector<ModuleId>&, const std::vector<int>&, TimeNs, int>;
  const auto order_of = [](const std::vector<WorkerGroup>& groups) {
    const auto key = [&](std::size_t i) {
      return Key(groups[i].modules, groups[i].max_batches, groups[i].cycle_ns, -groups[i].workers);
    };
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
  };
  const auto is_before = [](const WorkerGroup& a, const WorkerGroup& b) {
    return std::tie(a.modules, a.max_batches, a.cycle_ns) < std::tie(b.modules, b.max_batches, b.cycle_ns);
  };
  for (WorkerGroup& group : plan.groups) {
    group.workers = 0;
    group.shares.clear();
  }
  const std::vector<std::size_t> known = order_of(current.groups);
  std::vector<std::size_t> added;
  auto next = known.begin();
  for (const std::size_t i : order_of(wanted.groups)) {
    while (next != known.end() && is_before(current.groups[*next], wanted.groups[i])) ++next;
    if (next != known.end() && is_same_group(current.groups[*next], wanted.groups[i])) {
      plan.groups[*next++] = wanted.groups[i];
    } else {
      added.push_back(i);
    }
  }
  std::sort(added.begin(), added.end());
  for (const std::size_t i : added) plan.groups.push_back(wanted.groups[i]);
  return plan.groups.size() > kMaxGroups ? current : plan;
}

std::vector<TimeNs> proportional_budgets(const ServingContext& context,
                                         const std::vector<TimeNs>& latency_ns) {
  __extension__ using Wide = __int128;
  const std::vector<double> cost(latency_ns.begin(), latency_ns.end());
  const std::vector<double> after = longest_after(*context.pipeline, cost);
  const std::vector<ModuleId> entries = entries_of(*context.pipeline);
  std::vector<TimeNs> budgets;
  for (std::size_t m = 0; m < latency_ns.size(); ++m) {
    const ModuleId entry = entries[m];
    const auto path = static_cast<TimeNs>(cost[entry] + after[entry]);
    budgets.push_back(
        static_cast<TimeNs>(static_cast<Wide>(context.slo_of_entry(entry)) * latency_ns[m] / path));
  }
  return budgets;
}

bool has_only_batches(const ServingContext& context) {
  return std::all_of(context.profiles.begin(), context.profiles.end(),
                     [](const Profile* profile) { return profile->service == Service::kBatch; });
}

std::uint16_t fastest_kind(const ServingContext& context, ModuleId module) {
  const std::span<const ClusterDevice> devices = context.devices;
  std::size_t best = devices.size();
  for (std::size_t kind = 0; kind < devices.size(); ++kind) {
    if (!devices[kind].profiles[module]) continue;
    const auto rank = [&](std::size_t of) {
      return std::pair(devices[of].profiles[module]->latency(1), devices[of].usd_per_h);
    };
    if (best == devices.size() || rank(kind) < rank(best)) best = kind;
  }
  HARNESS_CHECK(devices.empty() || best < devices.size(), "a model runs on no kind of device");
  return static_cast<std::uint16_t>(best);
}

Plan one_group_plan(const ServingContext& context, int max_batch) {
  Plan plan;
  WorkerGroup& group = plan.groups.emplace_back();
  group.workers = context.workers;
  for (const Profile* profile : context.profiles) {
    group.modules.push_back(static_cast<ModuleId>(plan.modules.size()));
    ModulePlan& module = plan.modules.emplace_back();
    module.workers = context.workers;
    module.max_batch = std::min(max_batch, profile->max_batch());
    module.exec_ns = profile->latency(module.max_batch);
  }
  return plan;
}

}  // namespace harness
