// What an experiment sets for planners.
#pragma once

#include <string>

#include "harness/core/param_list.h"

namespace harness {

/// Rule by which workers are given to modules. Both rules count the visits that a request makes, by
/// BranchShares.
enum class WorkerRule { kBalanced, kRate };
/// The planner's knowledge of branches: it is told how likely a request takes each one, or not.
enum class BranchShares { kKnown, kUnknown };

struct PlannerParams {
  double sizing_factor = 2.0;
  int max_batch = 64;
  WorkerRule workers = WorkerRule::kBalanced;
  BranchShares branch_shares = BranchShares::kKnown;
  double headroom = 1.0;
  bool autoscale = false;
  double period_s = 10;
  double plan_time_ms = 0;
  double scale_down_s = 30;
  /// Largest number of workers of a module or group in every planner's first plan (start_of, initial_plan.h);
  /// 0: as planned.
  int initial_workers = 0;
  std::string placement;  ///< modules of each worker (placed_groups); "": planners decide

  void list(ParamList& params) {
    params.number("sizing_factor", sizing_factor, 1, 100,
                  "batch sizes are chosen so that factor x the sum of d_k(b_k) over the longest path is at "
                  "most the SLO "
                  "(2: a batch waits at most as long as it runs)");
    params.integer(
        "max_batch", max_batch, 1, 1024,
        "no batch is planned larger than this; shepherd, clockwork, and nexus with independent models have "
        "limits of their own (128, 16, 128)");
    params.choice(
        "workers", workers, {"balanced", "rate"},
        "balanced: all workers of the cluster, so that the bottleneck module is as fast as can be; rate: as "
        "many per module as the offered rate x headroom needs");
    params.choice("branch_shares", branch_shares, {"known", "unknown"},
                  "pipelines with request-specific paths: known, batches and workers are for the visits that "
                  "a request makes on average; unknown, as if each request took every branch. autoscale: a "
                  "module has workers for at least the measured rate of requests x its visits, so with "
                  "unknown the lower rates that are measured behind a branch do not count");
    params.number("headroom", headroom, 0.1, 10, "the rate is multiplied by this")
        .only_with("workers", {"rate"});
    params.flag("autoscale", autoscale,
                "plan again every period_s from the measured rates (needs workers = rate)");
    params.number("period_s", period_s, 0.1, 3600, "planning period").only_with("autoscale", {"true"});
    params.number("plan_time_ms", plan_time_ms, 0, 1e6, "virtual time that computing a plan takes");
    params
        .number("scale_down_s", scale_down_s, 0, 1e5,
                "workers are taken away only when the need was lower for this long")
        .only_with("autoscale", {"true"});
    params.integer("initial_workers", initial_workers, 0, 1'000'000,
                   "each model that runs in batches, and each group of workers, starts with at most so many, "
                   "whatever the first plan says, also a system's own; later plans go on from there (QUART "
                   "section 8.3: initial replicas of 1); 0: as planned");
    params.any_text(
        "placement", placement, "modules of each worker, workers parted by commas",
        "which modules each worker serves, from the first GPU on, with batches of max_batch or of "
        "module.NAME.batch: \"a b, a c\" is two workers; in place of any other plan. Requests of a "
        "module on no worker are dropped (no_worker). For systems that serve so (clockwork)");
  }
};

/// Values that the experiment fixes for one module; 0 leaves a value to the planner.
struct ModuleOverride {
  int batch = 0;
  int workers = 0;
  int cores = 0;
  std::string remote = {};  ///< model or path on a running server; empty: the name of the module
};

}  // namespace harness
