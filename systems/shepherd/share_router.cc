#include "systems/shepherd/share_router.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "harness/core/check.h"
#include "systems/shepherd/herd_input.h"
#include "systems/shepherd/herd_planner_params.h"

namespace harness {
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
