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

struct RoutingParams {
  Overflow overflow = Overflow::kEqual;
  Ties ties = Ties::kSpread;
  EarlyDropping early_dropping = EarlyDropping::kReroute;
  double budget_factor = 2;
  bool reroutes_use_leftover = true;

  void list(ParamList& params) {
    params.choice("overflow", overflow, {"equal", "capacity", "last", "drop"},
                  "where demand beyond the capacity of a task goes: spread over its workers equally, or in "
                  "proportion to capacity; to the last, least accurate one; or dropped");
    params.choice("ties", ties, {"fill", "spread"},
                  "workers of one variant are filled one after the other (Algorithm 1), or together");
    params.choice("early_dropping", early_dropping, {"none", "last_task", "per_task", "reroute"},
                  "which requests are given up before they are late (section 5.2, Figure 7)");
    params.number("budget_factor", budget_factor, 1, 10,
                  "latency budget of a task over the execution time of its variant (section 4.2)");
    params.flag("reroutes_use_leftover", reroutes_use_leftover,
                "a rerouted visit uses up some of the leftover capacity of its new worker");
  }
};

}  // namespace harness
