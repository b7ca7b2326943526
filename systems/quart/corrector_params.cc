#include "systems/quart/corrector_params.h"

namespace harness {

void CorrectorParams::list(ParamList& params) {
  params.choice("corrector", corrector, {"pid", "exact", "foresight", "none"},
                "who adds replicas: the PID of section 5.1; the smallest number that meets the target; "
                "likewise for the arrivals until a new replica serves; none beyond what the rate needs");
  params
      .choice("delay", delay, {"erlang_c", "printed", "measured"},
              "T_i: of M/M/c, or of the backlog where that is longer; Eq. 1 as printed, never above two "
              "execution times; the mean wait of the last period")
      .reading();
  params.number("target_share", target_share, 0.01, 100,
                "T_target: this share of the SLO, divided over the stages by their execution times "
                "(reconstruction)");
  params.number("least_target", least_target, 1.01, 1000,
                "no target is shorter than so many times the stage's execution (reconstruction: no number of "
                "replicas meets a target of one)");
  params.number("kp", kp, 0, 1e6, "K_p, replicas for an error of one execution time (reconstruction)")
      .reading({0.25, 1.0});
  params.number("ki", ki, 0, 1e6, "K_i, likewise for one over a period (reconstruction)");
  params.number("kd", kd, 0, 1e6, "K_d, likewise for a change by one in a period (reconstruction)");
  params.number("error_limit", error_limit, 0.1, 1e6,
                "errors and their sum are held within so many execution times (reconstruction: anti-windup)");
  params
      .choice("error_sum", error_sum, {"signed", "from_zero"},
              "the integral of Eq. 3: as the equation has it, down to -error_limit; held at 0 and above, so "
              "that slack does not make the response to the next burst smaller (reconstruction)")
      .reading();
  params.number("key_s", key_s, 0, 1e6,
                "a stage is a key stage for so long after the Corrector enlarged it; 0: for the rest of the "
                "run (section 6.1 only appends to its list)");
}

}  // namespace harness
