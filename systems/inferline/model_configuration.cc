#include "systems/inferline/model_configuration.h"

#include <algorithm>
#include <cmath>

namespace harness {

int ceil_of(double value) {
  constexpr double kRounding = 1e-9;
  constexpr double kMax = 1e9;
  return value > 1 ? static_cast<int>(std::ceil(std::min(value - kRounding, kMax))) : 1;
}

}  // namespace harness
