// The settings that all systems share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/core/param_list.h"

namespace harness {

/// Rule for when a visit may join a batch.
enum class Commit { kEarly, kLate };
/// Rule by which a module's router spreads visits over its queues.
enum class Dispatch { kRoundRobin, kLeastOutstanding };
/// The workers behind one queue: a single one, or all of a module.
enum class QueueScope { kWorker, kModule };

/// Settings that all systems share and that change results.
struct ServingParams {
  Commit commit = Commit::kEarly;
  Dispatch dispatch = Dispatch::kRoundRobin;
  QueueScope queue = QueueScope::kWorker;
  double state_period_ms = 1000;
  double state_delay_ms = 0;

  /// Returns the number of state periods in a window: the nearest whole number, at least one.
  std::size_t periods_in(double window_s) const {
    return static_cast<std::size_t>(std::max(1.0, std::floor(window_s * 1000 / state_period_ms + 0.5)));
  }

  void list(ParamList& params) {
    params.choice("commit", commit, {"early", "late"},
                  "when visits join a batch: early, from the start of the batch before it (PARD section "
                  "4.2); late, only "
                  "when the worker is free");
    params.choice("dispatch", dispatch, {"round_robin", "least_outstanding"},
                  "how a module's router chooses a queue");
    params.choice("queue", queue, {"worker", "module"},
                  "one queue per worker, or one per module shared by its workers");
    params.number("state_period_ms", state_period_ms, 1, 1e6,
                  "period of reports and of the state exchange between modules (PARD: once per second)");
    params.number("state_delay_ms", state_delay_ms, 0, 1e5,
                  "time that a report or a published state takes to arrive");
  }
};

}  // namespace harness
