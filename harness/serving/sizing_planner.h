// The planner that all systems share: batch sizes from the SLO, workers from the rate (PARD section 5.1,
// "dynamic batching and resource scaling similar to Nexus and InferLine").
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

// What a plan's groups of workers can carry together.

/// The largest rate, requests/s, at which each module's share of the requests can be divided over the groups
/// that serve it so that no group has more work than its workers do. `rps`: by module, the requests/s that
/// one worker would carry if nothing else came; infinite where none go there. By Hall's condition it is the
/// least, over all sets of modules, of the workers that serve any of them over the seconds that a request
/// needs of them. 0 when a module has requests and no workers. Batches are those of `rps` in every group:
/// WorkerGroup::max_batches and cycle_ns do not count. Cost grows with the square of the different sets of
/// modules, not with the groups.
double group_capacity_rps(std::span<const WorkerGroup> groups, const std::vector<double>& rps);

/// Fixed by the experiment for one module; 0 leaves it to the planner.
struct ModuleOverride {
  int batch = 0;
  int workers = 0;
  int cores = 0;
};

/// How workers are given to modules; both count the visits that a request makes, by BranchShares.
enum class WorkerRule { kBalanced, kRate };
/// Whether the planner is told how likely a request takes each branch.
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
  int initial_workers = 0;  ///< of every planner's first plan (start_of, dispatcher.h)
  std::string placement;    ///< a key of its own; "": planners decide (placed_groups)

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

/// Batch sizes and the workers of each module, by the profiles as measured, whatever cores are fixed; it
/// counts the cluster's GPUs, not the room on its servers. Throws InputError when no batch size meets the SLO
/// (even b = 1) or there are fewer workers than modules. With a placement it plans these groups once and for
/// all, with batches of params.max_batch or those fixed, whatever the SLO.
std::unique_ptr<Planner> make_sizing_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

/// The workers of `placement`, which commas part, each a group of its own that serves the modules named
/// there: "a b, a c". Throws InputError at `place`: no worker or more than `workers`, one without a module, a
/// module that the pipeline does not have or twice on one worker.
std::vector<WorkerGroup> placed_groups(const Pipeline& pipeline, int workers, const std::string& placement,
                                       const InputPlace& place = {});

/// The planner of a placement. make_sizing_planner makes it.
std::unique_ptr<Planner> make_placed_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides);

/// The batch sizes alone: least expected GPU time per request, sum of v_k d_k(b_k) / b_k with v_k the
/// probability that a request visits the module (1 without choices, PARD section 5.2, or where branch shares
/// are unknown), subject to
/// sizing_factor x (longest path of d_k(b_k)) <= SLO and b_k <= max_batch, found greedily: from b = 1 the
/// module whose larger batch saves most GPU time per added path latency grows first (R: the paper gives no
/// rule). Modules with an override keep it.
std::vector<int> size_batches(const ServingContext& context, const PlannerParams& params,
                              const std::vector<ModuleOverride>& overrides);

/// Visits/s at each module by the expected rates of the streams.
std::vector<double> stream_rps(const ServingContext& context);

/// Requests/s that the plan carries at its batches: of a module with workers of its own workers b / (v d),
/// the least over them; of groups group_capacity_rps at the modules' own batches, which is an upper bound
/// where groups have smaller ones (WorkerGroup::max_batches) or a cycle. With several streams v is the
/// module's share of their expected rates. NaN of a task tree, where it depends on the variants chosen.
double capacity_rps(const ServingContext& context, const Plan& plan);

/// Requests/s that the cluster's workers carry in parts, each at its model's best throughput and whatever the
/// SLO: of streams in proportion to their expected rates, of a task tree by the most accurate variants.
double best_capacity_rps(const ServingContext& context);

}  // namespace harness
