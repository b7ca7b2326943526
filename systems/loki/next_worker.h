// The choice of the next worker of a visit that has been served, which may be behind (section 5.2).
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "systems/loki/backup.h"
#include "systems/loki/routing_entry.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/table_draws.h"

namespace harness {

/// Returns the rule by which routers judge visits that have been served: kOff if queues have judged them
/// already.
inline EarlyDropping rule_at_end(EarlyDropping rule, DropAt drop_at) {
  return rule == EarlyDropping::kPerTask && drop_at == DropAt::kStart ? EarlyDropping::kOff : rule;
}

/// Returns the execution time that the next worker must save compared with the drawn one, for a visit that is
/// `behind_ns` behind: all of that time or (RerouteLimit::kBudget) as much as makes the budget, which is the
/// execution time times `factor`, smaller by that time: b <= y - x / factor instead of b <= y - x. It is more
/// than 0 if the visit is behind at all.
TimeNs time_to_save(TimeNs behind_ns, RerouteLimit limit, double factor);

/// The next worker of a visit that has been served.
struct NextWorker {
  std::uint32_t worker = kNone;  ///< place in the tables' workers; kNone: dropped, with the reason
  bool rerouted = false;         ///< true if it was taken from the backup table
  DropReason reason = DropReason::kOverBudget;  ///< reason of a drop; or no_worker
};

/// Chooses the next worker of a visit that has `save_ns` to save (time_to_save). A visit within budget, or
/// under a rule that looks at the last task alone or at no task, goes to a worker drawn from `table`.
/// Otherwise per-task dropping drops it. Opportunistic rerouting sends it to the most accurate of the workers
/// in `backups` that execute within the drawn worker's time less `save_ns` (at random among equals), or drops
/// it if no such worker exists.
///
/// `cost_rps` is subtracted from the leftover capacity of the worker that it is rerouted to; a worker is used
/// until no capacity is left. With 0 the backup table stays as it is.
NextWorker next_worker(EarlyDropping rule, TimeNs save_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, TableDraws& draws);

}  // namespace harness
