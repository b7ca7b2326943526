// L_sub of a plan alone, with which PARD's queues begin.
#pragma once

#include <map>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/pard/pard_params.h"

namespace harness {

/// The values with which the queues of one cell begin: L_sub of a plan alone, before any state. It takes as
/// many draws as a state period's, and all queues of a module begin with the same value, so it is computed
/// once for each module. Serves one context and one set of parameters; only the schedulers' thread uses it.
class StartEstimates {
 public:
  double downstream_ns(const ServingContext& context, ModuleId module, const PardParams& params,
                       const Plan& plan);

 private:
  struct Made {
    Plan plan;
    double downstream_ns = 0;
  };

  std::map<ModuleId, Made> made_;  ///< value of each module for the latest plan
};

}  // namespace harness
