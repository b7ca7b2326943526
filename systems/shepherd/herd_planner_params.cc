#include "systems/shepherd/herd_planner_params.h"

namespace harness {

int HerdPlannerParams::shares_for(int gpus) const {
  if (herd.shares > 0) return herd.shares;
  const int limit = herd.group_worker_limit;
  return limit == 0 ? 1 : (gpus + limit - 1) / limit;
}

void HerdPlannerParams::list(ParamList& list) {
  herd.list(list);
  list.number("herd_gpu_memory_mb", gpu_memory_mb, 1, 1e9, "memory of a GPU, MB (SHEPHERD section 7: 16 GB)");
  list.choice(
      "herd_goodput", goodput, {"profile", "rule"},
      "the goodput of one GPU: profile, its goodput_rps, where it has it for the SLO; rule, the largest "
      "b / d(b) with 2 d(b) <= SLO");
  list.choice("herd_split", split, {"rate", "order"},
              "how a model's streams are divided into shares: rate, as evenly as can be; order, in turn");
  list.number("herd_period_s", period_s, 0, 1e6,
              "plan again every so many seconds, from the rates measured in the last of them; 0: once");
  list.choice(
      "herd_model_loading", model_loading, {"preloaded", "cold"},
      "herd_period_s, a GPU that a new plan puts into another group: preloaded, its models are in memory "
      "and it serves when the batch that it runs has ended; cold, after cluster.cold_start_ms more");
}

}  // namespace harness
