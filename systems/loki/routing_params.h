// What Loki's Load Balancer leaves open (section 5), as parameters.
#pragma once

#include <cstdint>

#include "harness/core/params.h"

namespace harness {

/// Where Algorithm 1 sends what is left of a flow when every worker of the next task is full.
enum class Overflow : std::uint8_t {
  kEqual,     ///< as much to each of the task's workers
  kCapacity,  ///< to each in proportion to its capacity: all are overloaded alike
  kLast,      ///< to the last in order, the least accurate one
  kDrop       ///< nowhere: the table's probabilities then sum below 1
};

/// How workers of one variant, which are equally accurate, are filled.
enum class Ties : std::uint8_t {
  kFill,   ///< one after the other, the lowest id first
  kSpread  ///< together, in proportion to what each has left
};

/// Which requests are given up before they are late (section 5.2; the four of Figure 7).
enum class EarlyDropping : std::uint8_t { kOff, kLastTask, kPerTask, kReroute };

/// When a visit is judged.
enum class DropAt : std::uint8_t {
  kEnd,   ///< when its task has run it (section 5.2)
  kStart  ///< when its turn in the queue has come, by when its batch would end (section 6.3)
};

/// What a visit must keep whose turn comes at a last task.
enum class DueBy : std::uint8_t {
  kRequest,  ///< its request's deadline
  kTask      ///< its arrival at the task and the task's latency budget
};

/// How long a batch is expected to execute that has not started.
enum class ExpectedBatch : std::uint8_t {
  kPlanned,  ///< as long as one of the planned size
  kQueued    ///< as long as one of what waits, up to the planned size
};

/// What a worker must keep that a visit which is behind is rerouted to.
enum class RerouteLimit : std::uint8_t {
  kExecution,  ///< its execution time at most y - x (section 5.2)
  kBudget      ///< its latency budget at most that of the drawn worker less x
};

/// How queues give up visits, under any of the systems; which rule they follow is the system's own.
struct DroppingParams {
  DueBy deadline = DueBy::kRequest;
  ExpectedBatch expected_batch = ExpectedBatch::kPlanned;
  double budget_factor = 2;

  void list(ParamList& params) {
    params.choice("deadline", deadline, {"request", "task"},
                  "what a visit must keep at a last task: its request's deadline, or the budget of the task");
    params.choice(
        "expected_batch", expected_batch, {"planned", "queued"},
        "a batch that has not started is expected to execute as long as one of the planned size, or "
        "of what is queued");
    params.number("budget_factor", budget_factor, 1, 10,
                  "latency budget of a task over the execution time of its variant (section 4.2)");
  }
};

/// How a worker is drawn from a table of probabilities.
enum class Draw : std::uint8_t {
  kRandom,  ///< independently for each visit
  kEven     ///< so that the shares hold after few visits
};

struct RoutingParams {
  Overflow overflow = Overflow::kEqual;
  Ties ties = Ties::kSpread;
  Draw draw = Draw::kRandom;
  EarlyDropping early_dropping = EarlyDropping::kReroute;
  DropAt drop_at = DropAt::kStart;
  RerouteLimit reroute_limit = RerouteLimit::kExecution;
  bool reroutes_use_leftover = true;

  void list(ParamList& params) {
    params.choice("overflow", overflow, {"equal", "capacity", "last", "drop"},
                  "where demand beyond the capacity of a task goes: spread over its workers equally, or in "
                  "proportion to capacity; to the last, least accurate one; or dropped");
    params.choice("ties", ties, {"fill", "spread"},
                  "workers of one variant are filled one after the other (Algorithm 1), or together");
    list_draw(params);
    params.choice("early_dropping", early_dropping, {"none", "last_task", "per_task", "reroute"},
                  "which requests are given up before they are late (section 5.2, Figure 7)");
    params.choice("drop_at", drop_at, {"end", "start"},
                  "when a visit is judged: when its task has run it (section 5.2), or before (section 6.3)");
    params.choice("reroute_limit", reroute_limit, {"execution", "budget"},
                  "what makes up for x: execution within y - x (section 5.2), or a budget smaller by x");
    params.flag("reroutes_use_leftover", reroutes_use_leftover,
                "a rerouted visit uses up some of the leftover capacity of its new worker");
  }
  void list_draw(ParamList& params) {
    params.choice("draw", draw, {"random", "even"},
                  "workers are drawn from the tables' probabilities independently, or nearly in turns");
  }
};

}  // namespace harness
