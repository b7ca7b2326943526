#include "systems/loki/arrival_order_policy.h"

#include <algorithm>
#include <cmath>

namespace harness {

TimeNs latency_budget(TimeNs exec_ns, double factor) {
  return static_cast<TimeNs>(static_cast<double>(exec_ns) * factor + 0.5);
}

std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random) {
  std::uint32_t best = kNone;
  std::uint64_t equals = 0;
  for (std::uint32_t i = 0; i < backups.size(); ++i) {
    const Backup& backup = backups[i];
    if (!(backup.leftover_rps > 0) || backup.exec_ns > limit_ns) continue;
    if (best == kNone || backup.accuracy > backups[best].accuracy) {
      best = i;
      equals = 1;
    } else if (backup.accuracy == backups[best].accuracy && random.below(++equals) == 0) {
      best = i;
    }
  }
  return best;
}

TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor) {
  TimeNs most = 0;
  for (const ModuleId sub : pipeline.modules[module].subs) {
    TimeNs fastest = kNever;
    TimeNs slowest = 0;
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      if (pipeline.task_of(m) != pipeline.task_of(sub) || plan.modules[m].workers == 0) continue;
      fastest = std::min(fastest, plan.modules[m].exec_ns);
      slowest = std::max(slowest, plan.modules[m].exec_ns);
    }
    if (fastest < kNever) most = std::max(most, slowest - fastest);
  }
  return limit == RerouteLimit::kExecution ? most : latency_budget(most, factor);
}

TimeNs time_to_save(TimeNs behind_ns, RerouteLimit limit, double factor) {
  if (limit == RerouteLimit::kExecution) return behind_ns;
  return static_cast<TimeNs>(std::ceil(static_cast<double>(behind_ns) / factor));
}

NextWorker next_worker(EarlyDropping rule, TimeNs save_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, TableDraws& draws) {
  const bool behind = save_ns > 0;
  if (behind && rule == EarlyDropping::kPerTask) return {};
  const RoutingEntry* drawn = draw(table, draws.next());
  if (drawn == nullptr) return {kNone, false, DropReason::kNoWorker};
  if (!behind || rule != EarlyDropping::kReroute) return {drawn->worker, false};
  const std::uint32_t chosen = choose_backup(backups, drawn->exec_ns - save_ns, draws.random());
  if (chosen == kNone) return {};
  backups[chosen].leftover_rps -= cost_rps;
  return {backups[chosen].worker, true};
}

}  // namespace harness
