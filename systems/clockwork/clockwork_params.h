// Clockwork's parameters, each with its source. "Released code": the scheduler that the authors of
// Clockwork published (infer5).
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The batch sizes for which a model has a strategy.
enum class ClockworkSizes {
  kPowers,  ///< 1, 2, 4, ...: sizes for which Clockwork's models are compiled
  kAll      ///< every size up to the largest
};

/// The batch that runs at the first strategy's turn.
enum class ClockworkBatch {
  kLargest,  ///< largest batch of that model that can be filled, if it is at least the strategy's
  kStrategy  ///< batch of the strategy's size
};

/// The place of a strategy whose first visit can no longer end in time.
enum class ClockworkStale {
  kServe,   ///< it keeps its place: at its turn late visits leave it, and the others may run
  kRefresh  ///< late visits leave all strategies before they are compared
};

/// The fate of visits that are due earlier than the visits of a batch of their model and too early for it.
enum class ClockworkOvertaken {
  kDrop,  ///< they are dropped
  kKeep   ///< they wait for a smaller batch
};

/// The order of strategies with equal starts.
enum class ClockworkTies {
  kSmall,  ///< smaller batch first, then the model given first
  kLarge   ///< larger batch first, then the model given first
};

struct ClockworkParams {
  double margin_ms = 5;
  double schedule_ahead_ms = 10;
  int estimate_window = 10;
  double estimate_percentile = 99;
  int max_batch = 16;
  double max_exec_ms = 0;
  ClockworkSizes sizes = ClockworkSizes::kPowers;
  ClockworkBatch batch = ClockworkBatch::kLargest;
  ClockworkStale stale = ClockworkStale::kServe;
  ClockworkOvertaken overtaken = ClockworkOvertaken::kDrop;
  ClockworkTies ties = ClockworkTies::kSmall;

  void list(ParamList& params) {
    params.number("margin_ms", margin_ms, 0, 1e4,
                  "a batch is to end so long before the earliest deadline in it (released code: 5 ms)");
    params.number("schedule_ahead_ms", schedule_ahead_ms, 0, 1e4,
                  "a worker gets its next batch when its batch is expected to end within this time "
                  "(OSDI'20; released code: 10 ms)");
    params.integer("estimate_window", estimate_window, 1, 1000,
                   "latencies measured last, of a model and batch size, that its estimate is taken from; the "
                   "profile's before there are so many (released code: 10)");
    params.number("estimate_percentile", estimate_percentile, 0, 100,
                  "which percentile of them is the estimate (released code: 99)");
    params.integer("max_batch", max_batch, 1, 1024, "most visits in a batch (Clockwork's models: 16)");
    params.number("max_exec_ms", max_exec_ms, 0, 1e5,
                  "batch sizes above 1 with a longer latency in the profile have no strategy; 0: no limit "
                  "(released code: 18 ms)");
    params.choice("sizes", sizes, {"powers", "all"},
                  "batch sizes that have strategies: powers of two (Clockwork's models), or all");
    params
        .choice("batch", batch, {"largest", "strategy"},
                "what runs at a strategy's turn: the largest batch of its model that can be filled and is "
                "no smaller (released code), or one of the strategy's own size")
        .reading();
    params
        .choice("stale", stale, {"serve", "refresh"},
                "a strategy whose first visit is late by now: serve, keeps its place and runs with what "
                "is left of it (released code); refresh, is placed again by its first visit that is not")
        .reading();
    params
        .choice("overtaken", overtaken, {"drop", "keep"},
                "visits due too early for the batch that their model runs: drop (released code), or keep "
                "for a smaller batch")
        .reading();
    params
        .choice("ties", ties, {"small", "large"},
                "of strategies with the same start the one with the smaller (released code) or the larger "
                "batch comes first, then the model given first")
        .reading();
  }
};

}  // namespace harness
