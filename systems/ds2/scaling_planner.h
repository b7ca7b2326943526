// DS2's scaling policy and manager (Kalavri et al., OSDI'18): the parallelism of all operators at once.
#pragma once

#include <memory>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// What an operator's input rate is.
enum class InputRate {
  kSource,   ///< that of the source, passed on through the operators before it by their selectivities
  kMeasured  ///< what arrived at the operator itself
};

struct ScalingParams {
  InputRate input_rate = InputRate::kSource;
  double margin = 0.2;
  int least_decrease = 2;
  double period_s = 10;
  int activation = 5;
  double warm_up_s = 20;
  double halt_s = 10;

  void list(ParamList& params);
};

/// Each module on its fastest kind of device at batch 1, with ceil(input rate / true rate x (1 + margin))
/// workers. The first plan is for the mean rate of the sample, where there is one, else for the rate to
/// provision for. Later ones are the medians of the last `activation` decisions, of which the intervals that
/// it ignores (warm-up, after a change also the halt) make none; a plan stays where no module needs more
/// workers or at least `least_decrease` fewer.
/// `context` outlives it; all modules run in batches.
std::unique_ptr<Planner> make_scaling_planner(const ServingContext& context, const ScalingParams& params);

}  // namespace harness
