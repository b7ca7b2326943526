// The parameters of InferLine's tuners (sections 5 and 6).
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The rate that a scale-up provisions for when the load exceeds the sample's envelope.
enum class ScaleUpRate {
  kRate,   ///< the largest rate of the windows that exceed the sample's: the printed rule
  kExcess  ///< the sample's mean rate times the largest r_i / r_i(sample) (R)
};

/// The models whose least rho a scale-down keeps (R).
enum class ScaleDownSlack {
  kSeveral,  ///< models planned with several replicas: one replica's rho does not tell the slack needed
  kAll       ///< all models, as printed
};

/// The signal from which AutoScale's rules know the load (R).
enum class AutoscaleSignal {
  kRate,     ///< the rate that was sent: Reactive upwards, AutoScale-- downwards
  kInSystem  ///< the requests in the system: AutoScale's capacity inference
};

/// The time at which replicas that a scale-down took away come back (R).
enum class ScaleBack {
  kAsPrinted,  ///< only when a window exceeds the sample's, however few are left
  kPlanned     ///< when the rule for scaling down would keep them, up to what was planned
};

struct TuningParams {
  ScaleUpRate scale_up = ScaleUpRate::kRate;
  ScaleDownSlack scale_down_slack = ScaleDownSlack::kSeveral;
  ScaleBack scale_back = ScaleBack::kAsPrinted;
  double longest_window_s = 60;
  double scale_down_wait_s = 15;
  double idle_timer_s = 9.2;
  AutoscaleSignal autoscale_signal = AutoscaleSignal::kRate;

  void list(ParamList& params);
};

}  // namespace harness
