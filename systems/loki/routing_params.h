// The choices that Loki's Load Balancer leaves open (section 5), as parameters.
#pragma once

#include <cstdint>

#include "harness/core/param_list.h"

namespace harness {

/// The destination of what is left of a flow when every worker of the next task is full (Algorithm 1).
enum class Overflow : std::uint8_t {
  kEqual,     ///< equal parts to the task's workers
  kCapacity,  ///< parts in proportion to capacity: all workers are overloaded alike
  kLast,      ///< the last worker in order, the least accurate one
  kDrop       ///< nowhere: the table's probabilities then sum to less than 1
};

/// The way to fill workers of one variant, which are equally accurate.
enum class Ties : std::uint8_t {
  kFill,   ///< one after the other, the lowest id first
  kSpread  ///< together, in proportion to the capacity that each has left
};

/// The way to draw a worker from a table of probabilities.
enum class Draw : std::uint8_t {
  kRandom,  ///< independently for each visit
  kEven     ///< nearly in turns, so that the shares hold after few visits
};

/// The choice of the worker that gets a request at the first task.
enum class RootRouting : std::uint8_t {
  kTable,    ///< a worker drawn as at the later tasks (section 5.1)
  kShortest  ///< the worker with the fewest outstanding visits among the ones that may be drawn
};

/// The rule by which requests are given up before they are late (section 5.2; the four of Figure 7).
enum class EarlyDropping : std::uint8_t { kOff, kLastTask, kPerTask, kReroute };

/// The moment at which a visit is judged.
enum class DropAt : std::uint8_t {
  kEnd,   ///< when its task has run it (section 5.2)
  kStart  ///< when its turn in the queue has come, by when its batch would end (section 6.3)
};

/// The limit of the worker to which a visit is rerouted that is behind by x, if the drawn worker takes y.
enum class RerouteLimit : std::uint8_t {
  kExecution,  ///< its execution time must be at most y - x (section 5.2)
  kBudget      ///< its latency budget must be at most the drawn worker's less x
};

struct RoutingParams {
  Overflow overflow = Overflow::kEqual;
  Ties ties = Ties::kSpread;
  Draw draw = Draw::kRandom;
  RootRouting root_routing = RootRouting::kTable;
  EarlyDropping early_dropping = EarlyDropping::kReroute;
  DropAt drop_at = DropAt::kStart;
  RerouteLimit reroute_limit = RerouteLimit::kExecution;
  bool reroutes_use_leftover = true;

  void list(ParamList& params) {
    params
        .choice("overflow", overflow, {"equal", "capacity", "last", "drop"},
                "where demand beyond the capacity of a task goes: spread over its workers equally, or in "
                "proportion to capacity; to the last, least accurate one; or dropped")
        .reading();
    list_choice(params);
    params.choice("early_dropping", early_dropping, {"none", "last_task", "per_task", "reroute"},
                  "which requests are given up before they are late (section 5.2, Figure 7)");
    params
        .choice("drop_at", drop_at, {"end", "start"},
                "when a visit is judged: when its task has run it (section 5.2), or before (section 6.3)")
        .reading();
    params
        .choice("reroute_limit", reroute_limit, {"execution", "budget"},
                "what makes up for x: execution within y - x (section 5.2), or a budget smaller by x")
        .reading();
    params
        .flag("reroutes_use_leftover", reroutes_use_leftover,
              "a rerouted visit uses up some of the leftover capacity of its new worker")
        .reading();
  }
  /// Lists the parameters of all three systems; `ties` matters only for systems that route by tables.
  void list_choice(ParamList& params) {
    params
        .choice("ties", ties, {"fill", "spread"},
                "workers of one variant are filled one after the other (Algorithm 1), or together")
        .reading();
    params
        .choice("draw", draw, {"random", "even"},
                "workers are drawn from the tables' probabilities independently, or nearly in turns")
        .reading();
    params
        .choice("root_routing", root_routing, {"table", "shortest"},
                "who gets a request at the first task: a worker drawn as at later tasks, or, of those that "
                "may be drawn, the one with the fewest outstanding visits")
        .reading();
  }
};

}  // namespace harness
