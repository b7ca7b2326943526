// The Corrector (QUART, section 5.1): replicas for stages whose delay is above their target.
#pragma once

#include <cstddef>
#include <vector>

#include "systems/quart/corrector_params.h"
#include "systems/quart/pid_loop.h"
#include "systems/quart/stage_load.h"

namespace harness {

/// The Corrector, with one loop for each stage.
class Corrector {
 public:
  Corrector(const CorrectorParams& params, std::size_t stages) : params_(params), loops_(stages) {}

  /// Returns the replicas that it wants of a stage in this period, at most `most`; 0 if it leaves the stage
  /// alone. `replicas` are in force, `least` are what the rate needs. A stage with fewer than `least` gets
  /// them, and more if the delay with them is above the target.
  int correct(std::size_t stage, const StageLoad& load, double wait_s, double target_s, int replicas,
              int least, int most);

 private:
  CorrectorParams params_;
  std::vector<PidLoop> loops_;
};

}  // namespace harness
