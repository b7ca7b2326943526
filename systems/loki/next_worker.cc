#include "systems/loki/next_worker.h"

#include <cmath>

#include "harness/core/drop_reason.h"

namespace harness {

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
