#include "systems/quart/corrector.h"

#include <algorithm>
#include <cmath>

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
  params.number("key_s", key_s, 0, 1e6,
                "a stage is a key stage for so long after the Corrector enlarged it; 0: for the rest of the "
                "run (section 6.1 only appends to its list)");
}

double steady_delay_s(DelayMethod method, const StageLoad& load, int replicas) {
  return method == DelayMethod::kPrinted ? printed_delay_s(load, replicas) : erlang_c_delay_s(load, replicas);
}

double delay_s(DelayMethod method, const StageLoad& load, int replicas, double wait_s) {
  if (method == DelayMethod::kMeasured)
    return wait_s >= 0 ? wait_s + load.exec_s : backlog_delay_s(load, replicas);
  const double steady_s = steady_delay_s(method, load, replicas);
  return method == DelayMethod::kPrinted ? steady_s : std::max(steady_s, backlog_delay_s(load, replicas));
}

int PidLoop::step(const CorrectorParams& params, double error) {
  const double limit = params.error_limit;
  const double e = std::clamp(error, -limit, limit);
  sum_ = std::clamp(sum_ + e, 0.0, limit);
  const double change = has_last_ ? e - last_ : 0;
  last_ = e;
  has_last_ = true;
  if (e <= 0) return 0;
  const double more = params.kp * e + params.ki * sum_ + params.kd * change;
  return static_cast<int>(std::clamp(std::ceil(more - 1e-9), 0.0, 1e9));
}

int Corrector::correct(std::size_t stage, const StageLoad& load, double wait_s, double target_s, int replicas,
                       int least, int most) {
  if (params_.corrector == CorrectorMethod::kRateOnly) return 0;
  if (params_.corrector != CorrectorMethod::kPid)
    return std::max(least, replicas_within(load, target_s, 1, most));
  const int enough = std::max(replicas, least);
  const double above = (delay_s(params_.delay, load, enough, wait_s) - target_s) / load.exec_s;
  const int more = loops_[stage].step(params_, above);
  return above > 0 || replicas < least ? enough + std::clamp(most - enough, 0, more) : 0;
}

}  // namespace harness
