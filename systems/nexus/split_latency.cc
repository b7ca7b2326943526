#include "systems/nexus/split_latency.h"

#include <algorithm>
#include <limits>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr TimeNs kMaxSplitSteps = 2000;
constexpr double kInfiniteCost = std::numeric_limits<double>::infinity();

/// The best split of one module's subtree for every total.
struct Subtree {
  std::vector<double> cost;      ///< [steps]
  std::vector<std::size_t> own;  ///< [steps]: the module's own budget
};

}  // namespace

double split_cost(const SplitModule& module, TimeNs budget_ns) {
  if (budget_ns < module.least_ns) return kInfiniteCost;
  double best_rps = 0;
  for (int batch = 1; batch <= std::min(module.max_batch, module.profile->max_batch()); ++batch) {
    const TimeNs latency = module.profile->latency(batch);
    if (2 * latency <= budget_ns) best_rps = std::max(best_rps, batch / ns_to_s(latency));
  }
  return best_rps > 0 ? module.rate / best_rps : kInfiniteCost;
}

bool is_tree(const Pipeline& pipeline) {
  return std::all_of(pipeline.modules.begin(), pipeline.modules.end(),
                     [](const Module& module) { return module.pres.size() <= 1; });
}

TimeNs split_step(TimeNs slo_ns, TimeNs wanted_ns) {
  return std::max(wanted_ns, (slo_ns + kMaxSplitSteps - 1) / kMaxSplitSteps);
}

std::vector<TimeNs> split_latency(const Pipeline& pipeline, const std::vector<SplitModule>& modules,
                                  TimeNs slo_ns, TimeNs step_ns) {
  HARNESS_CHECK(is_tree(pipeline), "the latency split is defined for trees only");
  const auto steps = static_cast<std::size_t>(slo_ns / step_ns);
  const std::size_t count = pipeline.modules.size();
  std::vector<Subtree> subtrees(count);
  for (std::size_t k = count; k-- > 0;) {
    std::vector<double> own_cost(steps + 1);
    for (std::size_t own = 0; own <= steps; ++own) {
      own_cost[own] = split_cost(modules[k], static_cast<TimeNs>(own) * step_ns);
    }
    Subtree& best = subtrees[k];
    best.cost.assign(steps + 1, kInfiniteCost);
    best.own.assign(steps + 1, 0);
    for (std::size_t total = 0; total <= steps; ++total) {
      for (std::size_t own = 0; own <= total; ++own) {
        double cost = own_cost[own];
        for (const ModuleId sub : pipeline.modules[k].subs) cost += subtrees[sub].cost[total - own];
        if (cost < best.cost[total]) {
          best.cost[total] = cost;
          best.own[total] = own;
        }
      }
    }
  }
  if (subtrees[0].cost[steps] == kInfiniteCost) return {};
  std::vector<std::size_t> total(count, steps);
  std::vector<TimeNs> budgets(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t own = subtrees[k].own[total[k]];
    budgets[k] = static_cast<TimeNs>(own) * step_ns;
    for (const ModuleId sub : pipeline.modules[k].subs) total[sub] = total[k] - own;
  }
  return budgets;
}

}  // namespace harness
