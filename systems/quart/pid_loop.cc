#include "systems/quart/pid_loop.h"

#include <algorithm>
#include <cmath>

namespace harness {

int PidLoop::step(const CorrectorParams& params, double error) {
  const double limit = params.error_limit;
  const double e = std::clamp(error, -limit, limit);
  sum_ = std::clamp(sum_ + e, params.error_sum == ErrorSum::kSigned ? -limit : 0.0, limit);
  const double change = has_last_ ? e - last_ : 0;
  last_ = e;
  has_last_ = true;
  if (e <= 0) return 0;
  const double more = params.kp * e + params.ki * sum_ + params.kd * change;
  return static_cast<int>(std::clamp(std::ceil(more - 1e-9), 0.0, 1e9));
}

}  // namespace harness
