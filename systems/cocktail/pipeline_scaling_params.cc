#include "systems/cocktail/pipeline_scaling_params.h"

namespace harness {

void PipelineScalingParams::list(ParamList& params) {
  params.choice(
      "forecast", forecast, {"trend", "last", "foresight"},
      "the rate to provision for: Holt's linear smoothing of the sampled rates, in the place of "
      "Cocktail's trained network (reconstruction); the last one; or what the run really sends, for "
      "comparison");
  params.number("period_s", period_s, 0.1, 1e5,
                "a forecast is made so often, from the largest rate of a window since the last (authors' "
                "code: 60 s)");
  params.number("window_s", window_s, 0.1, 1e5,
                "rates are sampled, and queues looked at, so often (authors' code: 5 s)");
  params.number("headroom", headroom, 0.1, 100, "forecasts are multiplied by this (authors' code: 1.2)");
  params.number("level_gain", level_gain, 0.01, 1, "weight of the newest rate in the level (reconstruction)")
      .only_with("forecast", {"trend"});
  params
      .number("trend_gain", trend_gain, 0.01, 1, "weight of the newest change in the trend (reconstruction)")
      .only_with("forecast", {"trend"});
  params.flag("reactive", reactive,
              "queues that make the pipeline miss the SLO get it whole pipelines more (reconstruction)");
  params.number("scale_in_s", scale_in_s, 0, 1e5,
                "pipelines go when none was needed for this long (authors' code: six plans of 60 s)");
}

}  // namespace harness
