#include "systems/infless/infless_params.h"

namespace harness {

void InflessParams::list(ParamList& params) {
  params.number("period_s", period_s, 0.1, 1e5, "how often rates are dealt to instances (1 s)");
  params.number("alpha", alpha, 0, 1,
                "instances are too many where the rate is below R_low + alpha (R_up - R_low) (0.8)");
  params.choice(
      "cores", cores, {"batch", "server"},
      "most cores of an instance, where the servers have cores and the profile says what they do: one "
      "for each request of its batch, at least two (the authors' code); or all that belong to its "
      "GPUs (reconstruction)");
  params.choice("keep_alive", keep_alive, {"histogram", "fixed"},
                "how long an instance without a rate stays: by the histograms of idle times over a day and "
                "an hour, keep_alive_s while they are empty; or keep_alive_s");
  params.number("keep_alive_s", keep_alive_s, 0, 1e6,
                "keep-alive time where no histogram says it (reconstruction)");
}

}  // namespace harness
