// The parameters of giving up visits in queues (sections 5.2 and 6.3).
#pragma once

#include <cstdint>

#include "harness/core/param_list.h"

namespace harness {

/// The limit that a visit must keep when its turn comes at a last task.
enum class DueBy : std::uint8_t {
  kRequest,  ///< its request's deadline
  kTask      ///< its arrival at the task plus the task's latency budget
};

/// The time that a batch is expected to execute before it has started.
enum class ExpectedBatch : std::uint8_t {
  kPlanned,  ///< time of a batch of the planned size
  kQueued    ///< time of a batch of all waiting visits, up to the planned size
};

/// The moment at which a free worker starts a batch.
enum class LaunchRule : std::uint8_t {
  kFree,  ///< at once
  kWait   ///< when it is full, or its first visit would miss its limit if it waited any longer
};

/// The parameters of giving up visits in queues, for all three systems; the rule that they follow is the
/// system's own.
struct DroppingParams {
  DueBy deadline = DueBy::kRequest;
  LaunchRule launch = LaunchRule::kFree;
  ExpectedBatch expected_batch = ExpectedBatch::kPlanned;
  double budget_factor = 2;

  void list(ParamList& params) {
    params
        .choice("deadline", deadline, {"request", "task"},
                "what a visit must keep at a last task: its request's deadline, or the budget of the task")
        .reading();
    params
        .choice("expected_batch", expected_batch, {"planned", "queued"},
                "a batch that has not started is expected to execute as long as one of the planned size, or "
                "of what is queued")
        .reading();
    params.number("budget_factor", budget_factor, 1, 10,
                  "latency budget of a task over the execution time of its variant (section 4.2)");
  }
};

}  // namespace harness
