// The planner that all systems share: it derives batch sizes from the SLO and numbers of workers from the
// rate (PARD section 5.1, "dynamic batching and resource scaling similar to Nexus and InferLine").
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

// The rate that a plan's groups of workers can carry together.

/// Returns the largest rate, requests/s, at which each module's share of the requests can be divided over the
/// groups that serve it so that no group has more work than its workers do. `rps` has the requests/s of each
/// module that one worker would carry if nothing else came; infinite if no requests go to the module. By
/// Hall's condition the result is the least, over all sets of modules, of the number of workers that serve
/// any module of the set / the seconds that a request needs at the modules of the set. It is 0 if a module
/// has requests and no workers. Every group has the batches on which `rps` is based: WorkerGroup::max_batches
/// and cycle_ns do not count. The cost grows with the square of the number of different sets of modules that
/// groups serve, not with the number of groups.
double group_capacity_rps(std::span<const WorkerGroup> groups, const std::vector<double>& rps);

/// Values that the experiment fixes for one module; 0 leaves a value to the planner.
struct ModuleOverride {
  int batch = 0;
  int workers = 0;
  int cores = 0;
};

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
  /// Largest number of workers of a module or group in every planner's first plan (start_of, dispatcher.h);
  /// 0: as planned.
  int initial_workers = 0;
  std::string placement;  ///< a key that list() leaves out (placed_groups); "": planners decide

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
    params.number("headroom", headroom, 0.1, 10, "workers = rate: the rate is multiplied by this");
    params.flag("autoscale", autoscale,
                "plan again every period_s from the measured rates (needs workers = rate)");
    params.number("period_s", period_s, 0.1, 3600, "autoscale: planning period");
    params.number("plan_time_ms", plan_time_ms, 0, 1e6, "virtual time that computing a plan takes");
    params.number("scale_down_s", scale_down_s, 0, 1e5,
                  "autoscale: workers are taken away only when the need was lower for this long");
    params.integer("initial_workers", initial_workers, 0, 1'000'000,
                   "each model that runs in batches, and each group of workers, starts with at most so many, "
                   "whatever the first plan says, also a system's own; later plans go on from there (QUART "
                   "section 8.3: initial replicas of 1); 0: as planned");
  }
};

/// Makes a planner of batch sizes and of each module's workers. It sizes by the profiles as measured,
/// whatever cores are fixed, and counts the cluster's GPUs, not the room on its servers. Throws InputError if
/// no batch size meets the SLO (even b = 1) or there are fewer workers than modules. If there is a placement,
/// the planner plans its groups once and for all, with batches of params.max_batch or the fixed ones,
/// whatever the SLO.
std::unique_ptr<Planner> make_sizing_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

/// Returns the workers of `placement`, which commas separate: "a b, a c". Each worker is a group of its own
/// that serves the modules named there. Throws InputError at `place` if there is no worker or more than
/// `workers`, if a worker has no module, or if a module is not in the pipeline or twice on one worker.
std::vector<WorkerGroup> placed_groups(const Pipeline& pipeline, int workers, const std::string& placement,
                                       const InputPlace& place = {});

/// Makes the planner of a placement, for make_sizing_planner.
std::unique_ptr<Planner> make_placed_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

/// Returns the batch sizes alone. Their aim is the least expected GPU time per request, the sum of v_k
/// d_k(b_k) / b_k, subject to sizing_factor x (longest path of d_k(b_k)) <= SLO and b_k <= max_batch; v_k is
/// the probability that a request visits the module (1 without choices, PARD section 5.2, or if branch shares
/// are unknown). The search is greedy: from b = 1 the module whose larger batch saves most GPU time per added
/// path latency grows first (R: the paper gives no rule). Modules with an override keep it.
std::vector<int> size_batches(const ServingContext& context, const PlannerParams& params,
                              const std::vector<ModuleOverride>& overrides);

/// Returns the visits/s at each module by the expected rates of the streams.
std::vector<double> stream_rps(const ServingContext& context);

/// Returns the requests/s that the plan carries at its batches. If modules have workers of their own, it is
/// the least over the modules of workers b / (v d). If the plan has groups, it is group_capacity_rps at the
/// modules' own batches, which is an upper bound if groups have smaller batches (WorkerGroup::max_batches) or
/// a cycle. v is the probability that a request visits the module or, with several streams, the module's
/// share of their expected rates. NaN for a task tree, because it depends on the variants chosen.
double capacity_rps(const ServingContext& context, const Plan& plan);

/// Returns the requests/s that the cluster's workers carry if they could be divided into parts, each working
/// at its model's best throughput, whatever the SLO. Streams send in proportion to their expected rates; the
/// tasks of a task tree are done by the most accurate variants.
double best_capacity_rps(const ServingContext& context);

}  // namespace harness
