// Which requests Loki gives up early, and where it sends one that is behind (section 5.2). Pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/pipeline.h"
#include "harness/core/random.h"
#include "harness/core/types.h"
#include "harness/serving/plan.h"
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

/// What a visit must keep to be served when its turn has come in a queue.
enum class TurnLimit : std::uint8_t {
  kUnlimited,
  kDeadline,  ///< that of its request; a visit that would not is dropped as estimated_late
  kBudget     ///< the task's, from its arrival at the task; dropped as over_budget
};

/// The limit of a rule at a task. Last-task dropping has one at tasks without subs alone. Of the rules that
/// look at visits when these have been served (DropAt::kEnd) none has one; judging at the start (section 6.3:
/// "expected to miss the latency budget for the respective task"), per-task dropping has the budget, at every
/// task. Reconstructed: opportunistic rerouting then has the limit of last-task dropping at the last tasks,
/// since nothing makes up for a delay there, and before them the budget and what a reroute can make up for
/// (most_made_up); the router sends on or drops what has been served as it does under kEnd.
inline TurnLimit turn_limit(EarlyDropping rule, DropAt drop_at, DueBy deadline, bool is_last_task) {
  const bool at_start = drop_at == DropAt::kStart;
  if (rule == EarlyDropping::kPerTask) return at_start ? TurnLimit::kBudget : TurnLimit::kUnlimited;
  const bool reroutes_at_start = rule == EarlyDropping::kReroute && at_start;
  if (!is_last_task) return reroutes_at_start ? TurnLimit::kBudget : TurnLimit::kUnlimited;
  if (rule != EarlyDropping::kLastTask && !reroutes_at_start) return TurnLimit::kUnlimited;
  return deadline == DueBy::kTask ? TurnLimit::kBudget : TurnLimit::kDeadline;
}

/// By how much a visit may be behind at the module for a reroute at the next task to make up for it, whatever
/// workers have capacity left: the largest difference between the execution times of two variants that have
/// workers, times `factor` where budgets are compared; of several next tasks the largest.
TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor);

/// The rule that routers follow with visits that have been served: none where queues have judged them.
inline EarlyDropping rule_at_end(EarlyDropping rule, DropAt drop_at) {
  return rule == EarlyDropping::kPerTask && drop_at == DropAt::kStart ? EarlyDropping::kOff : rule;
}

/// The execution time by which the next worker must be faster than the drawn one, for a visit that is
/// `behind_ns` behind: all of it, or (RerouteLimit::kBudget) as much as makes the budget, which is the
/// execution time times `factor`, smaller by that: b <= y - x / factor in place of b <= y - x. More than 0
/// for a visit that is behind at all.
TimeNs time_to_save(TimeNs behind_ns, RerouteLimit limit, double factor);

/// Where a visit goes that its worker has served.
struct NextWorker {
  std::uint32_t worker = kNone;  ///< place in the tables' workers; kNone: dropped, with the reason
  bool rerouted = false;         ///< it was taken from the backup table
  DropReason reason = DropReason::kOverBudget;  ///< or no_worker; of a visit that is dropped
};

/// Sends on a visit that has `save_ns` to save (time_to_save). Within budget, or under a rule that looks at
/// the last task alone or at none: to a worker drawn from `table`. Else per-task dropping drops it, and
/// opportunistic rerouting sends it to the most accurate of the workers in `backups` that execute within the
/// drawn worker's time less `save_ns` (at random among equals), or drops it where there is none.
///
/// `cost_rps` is taken off the leftover capacity of the worker that it is rerouted to, which is used until
/// none is left; 0 leaves the backup table as it is.
NextWorker next_worker(EarlyDropping rule, TimeNs save_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, TableDraws& draws);

/// The place in `backups` of the worker to reroute to: leftover capacity, execution within `limit_ns`, the
/// most accurate, at random among equals; kNone where there is none.
std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random);

}  // namespace harness
