#include "systems/inferline/tuning_params.h"

namespace harness {

void TuningParams::list(ParamList& params) {
  params
      .choice("scale_up", scale_up, {"rate", "excess"},
              "a scale-up provisions for the largest rate of the windows that exceed the "
              "sample's (section 5), or for the sample's mean rate times the largest excess "
              "(reconstruction)")
      .only_with("tuner", {"envelope"})
      .reading();
  params
      .choice("scale_down_slack", scale_down_slack, {"several", "all"},
              "a scale-down keeps the least rho of the models that are planned with "
              "several replicas, or of all (section 5; a model whose one replica is nearly idle then "
              "keeps the others from shrinking)")
      .only_with("tuner", {"envelope"})
      .reading();
  params
      .choice("scale_back", scale_back, {"never", "planned"},
              "replicas that a scale-down took away come back only when a window exceeds "
              "the sample's (section 5), or as soon as the rule for scaling down would keep them "
              "(reconstruction)")
      .only_with("tuner", {"envelope"})
      .reading();
  params.number("longest_window_s", longest_window_s, 0.1, 3600, "windows double up to this (section 5)")
      .only_with("tuner", {"envelope"});
  params
      .number("scale_down_wait_s", scale_down_wait_s, 0, 1e5,
              "time from any change to the next scale-down (section 5)")
      .only_with("tuner", {"envelope"});
  params
      .number("idle_timer_s", idle_timer_s, 1, 1e5,
              "a unit that has been idle for this long is shut down (reconstruction: "
              "AutoScale's 120 s at a start-up of 260 s, for one of 20 s)")
      .only_with("tuner", {"autoscale"});
  params
      .choice("autoscale_signal", autoscale_signal, {"rate", "in_system"},
              "units for the rate that was sent (AutoScale--), or for the load inferred "
              "from the requests in the system (AutoScale)")
      .only_with("tuner", {"autoscale"});
}

}  // namespace harness
