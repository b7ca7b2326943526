// Which requests Loki gives up early, and where it sends one that is behind (section 5.2). Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/random.h"
#include "harness/core/types.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"

namespace harness {

/// Latency budget of a task whose visit runs on a variant with this execution time at its planned batch size
/// (section 4.2), times `factor`.
///
/// Reconstructed: section 4.2 names the execution time itself, but half of the SLO is for queues, section 5.2
/// says that the SLO is divided into the budgets, and compares them with waiting and execution together. With
/// a factor of 2 budgets add up to the SLO at most; with 1, to half of it, and a visit in a full batch that
/// waited at all is over budget.
TimeNs latency_budget(TimeNs exec_ns, double factor);

/// By how much a visit that spent `spent_ns` at a task, waiting and executing, is over the task's budget; 0
/// when it is within.
inline TimeNs time_behind(TimeNs spent_ns, TimeNs budget_ns) {
  return spent_ns > budget_ns ? spent_ns - budget_ns : 0;
}

/// Last-task dropping: a visit that has reached a task without subs is dropped when less time is left to its
/// deadline than the task is expected to take. False under the other rules.
inline bool drops_at_last_task(EarlyDropping rule, TimeNs left_ns, TimeNs expected_ns) {
  return rule == EarlyDropping::kLastTask && left_ns < expected_ns;
}

/// Where a visit goes that its worker has served.
struct NextWorker {
  std::uint32_t worker = kNone;  ///< place in the tables' workers; kNone: dropped, with the reason
  bool rerouted = false;         ///< it was taken from the backup table
  DropReason reason = DropReason::kOverBudget;  ///< or no_worker; of a visit that is dropped
};

/// Sends on a visit that is `behind_ns` behind. Within budget, or under a rule that looks at the last task
/// alone or at none: to a worker drawn from `table`. Else per-task dropping drops it, and opportunistic
/// rerouting sends it to the most accurate of the workers in `backups` that execute within the drawn worker's
/// time less `behind_ns` (at random among equals), or drops it where there is none.
///
/// `cost_rps` is taken off the leftover capacity of the worker that it is rerouted to, which is used until
/// none is left; 0 leaves the backup table as it is.
NextWorker next_worker(EarlyDropping rule, TimeNs behind_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, RandomStream& random);

/// The place in `backups` of the worker to reroute to: leftover capacity, execution within `limit_ns`, the
/// most accurate, at random among equals; kNone where there is none.
std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random);

}  // namespace harness
