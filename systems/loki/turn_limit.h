// The limit that a visit must keep when its turn has come in a queue of Loki's (sections 5.2 and 6.3).
#pragma once

#include <cstdint>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "systems/loki/dropping_params.h"
#include "systems/loki/routing_params.h"

namespace harness {

/// The limit that a visit must keep to be served when its turn has come in a queue.
enum class TurnLimit : std::uint8_t {
  kUnlimited,
  kDeadline,  ///< its request's deadline; a visit that would miss it is dropped as estimated_late
  kBudget     ///< the task's budget, from its arrival at the task; dropped as over_budget
};

/// Returns the limit of a rule at a task. Last-task dropping has a limit only at tasks without subs. The
/// other rules have no limit in queues if they judge visits after these have been served (DropAt::kEnd). If
/// they judge at the start (section 6.3: "expected to miss the latency budget for the respective task"),
/// per-task dropping and opportunistic rerouting have the budget before the last tasks; rerouting adds the
/// time that a reroute can make up for (most_made_up). Reconstructed: at the last tasks, where nothing makes
/// up for a delay, every rule that has a limit has the same (`deadline`), so that systems differ by rerouting
/// alone.
inline TurnLimit turn_limit(EarlyDropping rule, DropAt drop_at, DueBy deadline, bool is_last_task) {
  const bool has_budgets = rule == EarlyDropping::kPerTask || rule == EarlyDropping::kReroute;
  const bool at_every_task = has_budgets && drop_at == DropAt::kStart;
  if (!is_last_task) return at_every_task ? TurnLimit::kBudget : TurnLimit::kUnlimited;
  if (rule != EarlyDropping::kLastTask && !at_every_task) return TurnLimit::kUnlimited;
  return deadline == DueBy::kTask ? TurnLimit::kBudget : TurnLimit::kDeadline;
}

/// Returns the longest time that a visit may be behind at the module and a reroute at the next task can still
/// make up for, whatever workers have capacity left: the largest difference between the execution times of
/// two variants that have workers, times `factor` if budgets are compared. With several next tasks it is the
/// largest of theirs.
TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor);

}  // namespace harness
