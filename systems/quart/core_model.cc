#include "systems/quart/core_model.h"

namespace harness {

CoreModel fitted_core_model(const std::vector<double>& exec_s) {
  const auto count = static_cast<double>(exec_s.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < exec_s.size(); ++i) {
    mean_x += 1 / static_cast<double>(i + 1) / count;
    mean_y += exec_s[i] / count;
  }
  double xy = 0;
  double xx = 0;
  for (std::size_t i = 0; i < exec_s.size(); ++i) {
    const double x = 1 / static_cast<double>(i + 1) - mean_x;
    xy += x * (exec_s[i] - mean_y);
    xx += x * x;
  }
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope};
}

}  // namespace harness
