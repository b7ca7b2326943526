// DS2's parameters.
#pragma once

#include "harness/core/param_list.h"

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

}  // namespace harness
