// Parameters of the system `nexus`.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The order of the queue.
enum class NexusOrder { kArrival, kDeadline };
/// The time by which a visit must end the current module.
enum class NexusBudget { kEndToEnd, kSplit, kPerModule };
/// The batch size for which the execution time is estimated.
enum class NexusEstimate { kPlanned, kActual };
/// The time of a session's turn on a node that several sessions share.
enum class NexusTurns { kNext, kCycle };
/// The visits that a node takes.
enum class NexusAdmission { kAll, kPlanned };
/// The use of GPUs that the packing does not need.
enum class NexusSpare { kUnused, kScaled };

/// The state of a GPU that a new plan makes another node.
enum class ModelLoading { kPreloaded, kCold };

struct NexusParams {
  NexusOrder order = NexusOrder::kArrival;
  NexusBudget budget = NexusBudget::kEndToEnd;
  NexusEstimate estimate = NexusEstimate::kPlanned;
  double split_step_ms = 1;
  // Independent models only.
  NexusTurns turns = NexusTurns::kNext;
  NexusAdmission admission = NexusAdmission::kAll;
  NexusSpare spare = NexusSpare::kUnused;
  double profile_margin = 1.15;
  double network_ms = 2;
  double replan_s = 60;
  ModelLoading model_loading = ModelLoading::kPreloaded;
  int max_batch = 128;

  void list(ParamList& params) {
    params
        .choice("order", order, {"arrival", "deadline"},
                "order of the queue: arrival, as PARD describes Nexus; deadline, as the released code")
        .reading();
    params
        .choice(
            "budget", budget, {"end_to_end", "split", "per_module"},
            "a visit must end the current module by: end_to_end, send time + SLO; split, send time + the sum "
            "of Nexus's latency split up to this module (slack of earlier modules is carried over); "
            "per_module, "
            "arrival at this module + its own share of that split (nothing is carried over)")
        .reading();
    params
        .choice("estimate", estimate, {"planned", "actual"},
                "execution time of the forming batch: at the planned batch size (holds whatever joins "
                "later), or at "
                "the size that the batch has with the window")
        .reading();
    params
        .number("split_step_ms", split_step_ms, 0.1, 100,
                "the SLO is split in steps of this, or of SLO / 2000 if that is more")
        .only_with("budget", {"split", "per_module"});
    list_independent(params);
  }

 private:
  void list_independent(ParamList& params) {
    params.choice("turns", turns, {"next", "cycle"},
                  "independent models, on a GPU that several share: next, one batch after the other, empty "
                  "queues passed over, as the released code; cycle, each at its place in the planned duty "
                  "cycle");
    params.choice("admission", admission, {"all", "planned"},
                  "independent models, visits that a node takes: all; planned, of each session no more in a "
                  "duty cycle than the batch planned for it, the others are refused on arrival");
    params.choice("spare", spare, {"unused", "scaled"},
                  "independent models, GPUs that the packing does not need: unused; scaled, packed again for "
                  "the largest multiple of all rates that fits");
    params.number("profile_margin", profile_margin, 1, 10,
                  "independent models: packed with all latencies multiplied by this");
    params.number("network_ms", network_ms, 0, 1e4,
                  "independent models: packed with SLOs shorter by this, for the network");
    params.integer("max_batch", max_batch, 1, 1024,
                   "independent models: most visits in a batch; a profile may allow fewer");
    params.number("replan_s", replan_s, 0, 1e6,
                  "independent models: packed again every so many seconds, for the peak second of those that "
                  "follow (SHEPHERD section 7); 0: once, for the peak second of the run");
    params.choice(
        "model_loading", model_loading, {"preloaded", "cold"},
        "independent models, a GPU that becomes another node: preloaded, its models are in memory and "
        "it serves when the batch that it runs has ended; cold, after cluster.cold_start_ms more");
  }
};

}  // namespace harness
