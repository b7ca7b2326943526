// The parameters of InferLine's Planner.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The model whose batch grows when no action cuts cost, since all larger batches save 0 $ (R).
enum class GrownBatch {
  kSaving,  ///< the one whose larger batches would make most $ of replicas superfluous
  kFirst    ///< the first whose larger batch is feasible: the algorithm's own order
};

struct GreedyParams {
  GrownBatch batch_choice = GrownBatch::kSaving;
  double max_utilisation = 1;
  double sizing_factor = 0;

  void list(ParamList& params);
};

}  // namespace harness
