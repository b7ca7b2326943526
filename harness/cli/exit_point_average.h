// The line of `harness profile` on the exit points of all models.
#pragma once

#include <string>
#include <vector>

#include "harness/gpu/profiling/profile_model.h"

namespace harness {

/// The cost of the exit points of several models.
class ExitPointAverage {
 public:
  /// Counts the model if it was measured with exit points.
  void add(const ModelProfile& profile);
  /// Returns the means over the models, and the largest with its model (SHEPHERD, Figure 12); "" with fewer
  /// than two models.
  std::string text() const;

 private:
  struct Cost {
    std::string model;
    double overhead = 0;
    double delay_share = 0;
  };
  std::vector<Cost> costs_;
};

}  // namespace harness
