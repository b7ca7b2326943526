// The table [live]: the layout of the live cluster over ranks, and the watch over them.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

struct LiveParams {
  int gpus_per_rank = 0;
  bool payload = false;
  bool spin = false;
  int spin_core = -1;
  double clock_period_s = 10;
  double schedule_lag_limit_ms = 10;
  double stall_limit_ms = 1000;
  double hang_limit_s = 10;
  int repeat = 1;

  void list(ParamList& params) {
    params.integer("gpus_per_rank", gpus_per_rank, 0, 1'000'000,
                   "GPUs on each rank but the first, which sends the load; 0: spread evenly over the ranks");
    params.flag("payload", payload, "tensors of the declared size really travel between the ranks");
    params.flag("spin", spin,
                "the load generator waits for the next request without sleeping; give it a core of its own");
    params
        .integer("spin_core", spin_core, -1, 1'000'000,
                 "the core that the first rank's thread keeps to; -1: the kernel chooses")
        .only_with("spin", {"true"});
    params.number("clock_period_s", clock_period_s, 0.1, 1e4,
                  "time between measurements of the ranks' clocks against the first rank's");
    params.number("schedule_lag_limit_ms", schedule_lag_limit_ms, 0, 1e6,
                  "a cell whose 99th percentile of the schedule lag exceeds this is invalid");
    params.number("stall_limit_ms", stall_limit_ms, 1, 1e6,
                  "a cell in which a rank looked so late at what was due there is invalid");
    params.number("hang_limit_s", hang_limit_s, 0.5, 1e4,
                  "a rank that says nothing for so long ends the run, which names it");
    params.integer("repeat", repeat, 1, 1'000'000,
                   "changes nothing; swept, it runs the same cell several times");
  }
};

}  // namespace harness
