#include "harness/cli/exit_point_average.h"

#include "harness/experiment/running/short_text.h"

namespace harness {

void ExitPointAverage::add(const ModelProfile& profile) {
  if (!profile.exit_points) return;
  costs_.push_back({profile.model, profile.exit_points->overhead, profile.exit_points->delay_share});
}

std::string ExitPointAverage::text() const {
  if (costs_.size() < 2) return "";
  const auto average_of = [this](double Cost::*share, const char* format) {
    double sum = 0;
    const Cost* largest = &costs_.front();
    for (const Cost& cost : costs_) {
      sum += cost.*share;
      if (cost.*share > largest->*share) largest = &cost;
    }
    return formatted(format, 100 * sum / static_cast<double>(costs_.size())) +
           " (most: " + formatted(format, 100 * (largest->*share)) + " of " + largest->model + ")";
  };
  return "exit points of " + std::to_string(costs_.size()) +
         " models, on average over the models and as shares of the batch time: exit overhead " +
         average_of(&Cost::overhead, "%+.1f %%") + ", preemption delay " +
         average_of(&Cost::delay_share, "%.1f %%") + "\n";
}

}  // namespace harness
