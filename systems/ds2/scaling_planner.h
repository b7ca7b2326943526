// DS2's scaling policy and manager (Kalavri et al., OSDI'18): the parallelism of all operators at once.
#pragma once

#include <memory>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The input rate of an operator.
enum class InputRate {
  kSource,   ///< rate of the source, passed on through the operators before it by their selectivities
  kMeasured  ///< rate that arrived at the operator itself
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

/// Returns DS2's planner. Each module runs on its fastest kind of device at batch 1, with ceil(input rate /
/// true rate x (1 + margin)) workers. The first plan is for the mean rate of the sample or, if there is no
/// sample, for the rate to provision for.
///
/// Later plans are the medians of the last `activation` decisions. Intervals that it ignores (the warm-up,
/// and after a change also the halt) make no decision. A plan stays in force unless a module needs more
/// workers, or at least `least_decrease` fewer.
///
/// `context` must outlive it; all modules must run in batches.
std::unique_ptr<Planner> make_scaling_planner(const ServingContext& context, const ScalingParams& params);

}  // namespace harness
