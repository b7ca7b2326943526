// FLEX's parameters, each with its source.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The rule that says which visits, in deadline order, may make a batch. A batch is feasible if it ends by
/// the earliest deadline in it.
enum class FlexBatch {
  kPrefix,  ///< consecutive visits from the first that can still be served on, as Algorithm 2 is written
  kSkip     ///< any visits: early ones that would make the batch smaller are left out
};

/// The choice of the GPU that a candidate batch preempts when several run batches that are small enough.
enum class FlexTarget {
  kOrder,    ///< first such GPU, as Algorithm 1 loops over the GPUs
  kSmallest  ///< GPU with the smallest batch; the first if several are equal
};

struct FlexParams {
  double lambda = 1;
  FlexBatch batch = FlexBatch::kSkip;
  bool preempt = true;
  FlexTarget target = FlexTarget::kOrder;
  int max_batch = 128;

  /// Returns the threshold with so many GPUs (Theorems B.1 and B.3).
  double lambda_for(int gpus) const {
    if (lambda > 1) return lambda;
    return gpus <= 1 ? 2.38 : 3.03;
  }

  void list(ParamList& params) {
    params.number("lambda", lambda, 1, 128,
                  "a candidate preempts a batch that it is this many times as large as; 1: 2.38 for one GPU, "
                  "3.03 for several (SHEPHERD, Theorems B.1 and B.3)");
    params
        .choice("batch", batch, {"prefix", "skip"},
                "which visits make a batch: prefix, those from the earliest deadline on; skip, early ones "
                "that would make it smaller are left out")
        .reading();
    params.flag("preempt", preempt, "preempt running batches; off: the variant of SHEPHERD section 7.2");
    params
        .choice("target", target, {"order", "smallest"},
                "which GPU is preempted when several could be: order, the first; smallest, the one with the "
                "smallest batch")
        .reading();
    params.integer("max_batch", max_batch, 1, 1024, "most visits in a batch (SHEPHERD section 5.2)");
  }
};

}  // namespace harness
