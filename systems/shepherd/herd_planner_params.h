// The parameters of HERD as the system's planner.
#pragma once

#include "harness/core/param_list.h"
#include "systems/shepherd/herd_params.h"

namespace harness {

/// The source of the goodput T of one GPU.
enum class HerdGoodput {
  kProfile,  ///< the profile's points, if it has some around the SLO; else the rule
  kRule  ///< largest b / d(b) with 2 d(b) <= SLO: requests of a batch arrive while the batch before it runs
};
/// The way in which the streams of a model are divided into its shares.
enum class HerdSplit {
  kRate,  ///< streams in descending order of rate, each to the share with the least rate
  kOrder  ///< in turn
};

/// The state of a GPU that a new plan puts into another group.
enum class HerdModelLoading {
  kPreloaded,  ///< the models are in memory: it serves when the batch that it runs has ended
  kCold        ///< it serves cluster.cold_start_ms later
};

/// The parameters of HERD as the system's planner, which Eq. 2 does not have.
struct HerdPlannerParams {
  HerdParams herd;
  double gpu_memory_mb = 16'000;
  HerdGoodput goodput = HerdGoodput::kProfile;
  HerdSplit split = HerdSplit::kRate;
  double period_s = 0;
  HerdModelLoading model_loading = HerdModelLoading::kPreloaded;

  HerdPlannerParams() { herd.shares = 0; }

  /// Returns `herd.shares` or, if that is 0, the number of groups that the GPUs make up at the group limit.
  int shares_for(int gpus) const;
  void list(ParamList& list);
};

}  // namespace harness
