// The PID loop of QUART's Corrector (section 5.1, Eq. 3).
#pragma once

#include "systems/quart/corrector_params.h"

namespace harness {

/// The loop of Eq. 3 for one stage. The error e is the delay above the target, divided by the stage's
/// execution time, and time is counted in periods. So the gains are replicas for one execution time and have
/// no unit.
class PidLoop {
 public:
  /// Takes the error of the next period and returns the whole replicas to add, rounded up; 0 if e is not
  /// above 0. Holds e within +-`error_limit`, and its sum from 0, or from -`error_limit` by `error_sum`, to
  /// `error_limit`.
  int step(const CorrectorParams& params, double error);

 private:
  double sum_ = 0;
  double last_ = 0;
  bool has_last_ = false;
};

}  // namespace harness
