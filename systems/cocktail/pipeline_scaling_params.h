// The parameters of Cocktail's resource manager.
#pragma once

#include "harness/core/param_list.h"
#include "harness/core/types.h"

namespace harness {

/// The rate by which the pipelines of the next period are chosen.
enum class Forecast {
  kTrend,     ///< the sampled rates, continued by Holt's linear smoothing as far ahead as needed
  kLast,      ///< the last sampled rate
  kForesight  ///< the largest rate that the run will really have, as from a forecaster without errors
};

struct PipelineScalingParams {
  Forecast forecast = Forecast::kTrend;
  double period_s = 60;
  double window_s = 5;
  double headroom = 1.2;
  double level_gain = 0.5;
  double trend_gain = 0.3;
  bool reactive = true;
  double scale_in_s = 360;

  void list(ParamList& params);
  TimeNs window_ns() const { return s_to_ns(window_s); }
};

}  // namespace harness
