#include "systems/ds2/scaling_params.h"

namespace harness {

void ScalingParams::list(ParamList& params) {
  params
      .choice("input_rate", input_rate, {"source", "measured"},
              "of a module: the source's, times the share of requests that visit it (as in the authors' "
              "code); or what "
              "arrived there")
      .reading();
  params.number("margin", margin, 0, 100,
                "modules get so much more parallelism than their input rate needs (reconstruction)");
  params.integer("least_decrease", least_decrease, 1, 1000000,
                 "parallelism changes where a module needs more, or so much less (authors' code: 2)");
  params.number("period_s", period_s, 0.1, 1e5, "parallelism is decided so often (10 s)");
  params.integer("activation", activation, 1, 1000,
                 "so many decisions in a row are considered, their median is deployed (reconstruction)");
  params.number(
      "warm_up_s", warm_up_s, 0, 1e5,
      "intervals of this time, at the start and after each halt, decide nothing (authors' code: two "
      "intervals)");
  params.number("halt_s", halt_s, 0, 1e5,
                "how long a change halts the whole pipeline: savepoint and restart (reconstruction)");
}

}  // namespace harness
