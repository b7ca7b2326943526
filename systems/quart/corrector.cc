#include "systems/quart/corrector.h"

#include <algorithm>

#include "systems/quart/delay_method.h"

namespace harness {

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
