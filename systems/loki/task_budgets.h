// The latency budgets of tasks (section 4.2).
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The rule for the latency budget of a task.
enum class TaskBudget : std::uint8_t {
  kExecution,  ///< latency_budget() of its execution time
  kSloShare    ///< Proteus: the SLO over the tasks of the longest path, as in the authors' simulator
};

struct TaskBudgets {
  TaskBudget kind = TaskBudget::kExecution;
  double factor = 2;  ///< factor of latency_budget()
};

/// Returns the latency budget of a task whose visit runs on a variant with this execution time at its planned
/// batch size: the execution time (section 4.2) times `factor`.
///
/// Reconstructed: section 4.2 names the execution time itself. But half of the SLO is for queues, and section
/// 5.2 says that the SLO is divided into the budgets and compares them with waiting and execution together.
/// With a factor of 2 the budgets add up to the SLO at most; with 1 they add up to half of it, and a visit in
/// a full batch is over budget if it waited at all.
TimeNs latency_budget(TimeNs exec_ns, double factor);

/// Returns the time by which a visit that spent `spent_ns` at a task, waiting and executing, is over the
/// task's budget; 0 if it is within.
inline TimeNs time_behind(TimeNs spent_ns, TimeNs budget_ns) {
  return spent_ns > budget_ns ? spent_ns - budget_ns : 0;
}

}  // namespace harness
