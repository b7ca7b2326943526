#include "systems/shepherd/serving_groups.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "harness/core/error.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

/// Returns the number of groups over which HERD would spread the shares. It takes minutes if they are too
/// many to be numbered (16,000 groups: 7 s).
std::size_t groups_to_fill(const HerdInput& input) {
  if (!input.params.spread || input.params.group_worker_limit == 0) return 1;
  const auto limit = static_cast<std::size_t>(input.params.group_worker_limit);
  std::size_t groups = (static_cast<std::size_t>(input.gpus) + limit - 1) / limit;
  if (input.params.max_groups > 0)
    groups = std::min(groups, static_cast<std::size_t>(input.params.max_groups));
  std::size_t shares = 0;
  for (const HerdModel& model : input.models)
    shares += static_cast<std::size_t>(shares_of(model, input.params));
  return std::min(groups, shares);
}

}  // namespace

bool is_for_herd(const ServingContext& context) {
  const std::vector<Module>& modules = context.pipeline->modules;
  const auto is_alone = [](const Module& module) { return module.pres.empty() && module.subs.empty(); };
  return (modules.size() > 1 || context.streams.size() > 1) &&
         std::all_of(modules.begin(), modules.end(), is_alone);
}

HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch) {
  const HerdInput input = herd_input(context, params, max_batch);
  check_group_count(groups_to_fill(input));
  HerdPlan plan = plan_herd(input);
  if (plan.groups.empty()) throw InputError("HERD has no plan: " + plan.reason);
  return plan;
}

HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps) {
  if (std::all_of(module_rps.begin(), module_rps.end(), [](double rps) { return rps <= 0; })) return {};
  ServingContext measured = context;
  measured.streams = measured_streams(context, module_rps);
  return plan_herd(herd_input(measured, params, max_batch));
}

Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch) {
  Plan plan = one_group_plan(context, max_batch);
  plan.groups.clear();
  for (ModulePlan& module : plan.modules) module.workers = 0;
  for (const HerdGroup& group : groups.groups) {
    WorkerGroup& workers = plan.groups.emplace_back();
    workers.workers = group.gpus;
    workers.shares = group.shares;
    for (const int model : group.models) {
      workers.modules.push_back(static_cast<ModuleId>(model));
      plan.modules[static_cast<std::size_t>(model)].workers += group.gpus;
    }
  }
  return plan;
}

namespace {

/// Streams of one number, which a router cannot tell apart, with the sum of their rates.
struct Load {
  std::size_t number = 0;  ///< Visit::stream
  double rate_rps = 0;
};

std::vector<Load> loads_of(std::span<const Stream> streams, ModuleId entry) {
  std::vector<Load> loads;
  std::vector<std::uint32_t> at(std::min(streams.size(), kStreamNumbers), kNone);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].entry != entry) continue;
    std::uint32_t& place = at[i % kStreamNumbers];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(loads.size());
      loads.push_back({i % kStreamNumbers, 0});
    }
    loads[place].rate_rps += streams[i].rate_rps;
  }
  return loads;
}

}  // namespace

std::vector<std::uint32_t> shares_of_streams(std::span<const Stream> streams, ModuleId entry, int shares,
                                             HerdSplit split) {
  std::vector<Load> loads = loads_of(streams, entry);
  if (split == HerdSplit::kOrder) {
    std::stable_partition(loads.begin(), loads.end(), [](const Load& load) { return load.rate_rps > 0; });
  } else {
    std::stable_sort(loads.begin(), loads.end(),
                     [](const Load& a, const Load& b) { return a.rate_rps > b.rate_rps; });
  }
  using Filled = std::tuple<double, std::uint32_t, std::uint32_t>;  // rate, streams, share
  std::priority_queue<Filled, std::vector<Filled>, std::greater<>> open;
  for (int share = 0; share < shares; ++share) open.emplace(0, 0, static_cast<std::uint32_t>(share));
  std::vector<std::uint32_t> share_of(std::min(streams.size(), kStreamNumbers), 0);
  for (const Load& load : loads) {
    auto [rate, count, share] = open.top();
    open.pop();
    share_of[load.number] = share;
    open.emplace(split == HerdSplit::kRate ? rate + load.rate_rps : 0, count + 1, share);
  }
  return share_of;
}

std::vector<GroupId> groups_of_shares(const Plan& plan, ModuleId model) {
  std::vector<GroupId> groups;
  for (GroupId group = 0; group < plan.groups.size(); ++group) {
    const WorkerGroup& each = plan.groups[group];
    const auto found = std::find(each.modules.begin(), each.modules.end(), model);
    if (each.workers == 0 || found == each.modules.end()) continue;
    const int shares = each.shares[static_cast<std::size_t>(found - each.modules.begin())];
    groups.insert(groups.end(), static_cast<std::size_t>(shares), group);
  }
  return groups;
}

void ShareRouter::on_plan(const Plan& plan) {
  std::vector<GroupId> group_of = groups_of_shares(plan, model_);
  const int shares = static_cast<int>(group_of.size());
  if (shares == 0) return;  // no group serves it: nothing is routed
  divide(shares_of_streams(streams_, model_, shares, split_), std::move(group_of));
}

void ShareRouter::divide(std::vector<std::uint32_t> share_of, std::vector<GroupId> group_of) {
  share_of_ = std::move(share_of);
  group_of_ = std::move(group_of);
  place_.assign(group_of_.size(), 0);
}

void ShareRouter::route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
                        std::span<std::uint32_t> out) {
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const std::uint32_t share = share_of_[visits[i].stream];
    const std::uint32_t place = place_[share];
    const bool is_there = place < queues.size() && queues[place].group == group_of_[share];
    out[i] = is_there ? place : find_queue(share, queues);
  }
}

std::uint32_t ShareRouter::find_queue(std::uint32_t share, std::span<const QueueView> queues) {
  std::uint32_t& place = place_[share];
  for (std::size_t next = 0; next < group_of_.size(); ++next) {
    const GroupId group = group_of_[(share + next) % group_of_.size()];
    if (place < queues.size() && queues[place].group == group) return place;
    const auto found = std::find_if(queues.begin(), queues.end(),
                                    [group](const QueueView& queue) { return queue.group == group; });
    if (found == queues.end()) continue;
    return place = static_cast<std::uint32_t>(found - queues.begin());
  }
  report_bug(__FILE__, __LINE__, "a model's workers are in none of its groups");
}

}  // namespace harness
