// Smoothing along the pipeline (QUART, section 5.2, Eq. 7): what a stage needs, blended with its neighbours'.
#pragma once

#include <span>
#include <vector>

#include "harness/core/pipeline.h"

namespace harness {

/// beta(CV) of Eq. 7: the weight of a stage's own demand, CV / (half + CV). `half` = 0: all of it.
double own_weight(double cv, double half);

/// Neighbours are the stages just before and behind.
class Smoother {
 public:
  /// `pipeline` need not outlive it.
  Smoother(const Pipeline& pipeline, double half);
  /// Eq. 7: y' = beta(CV) y + (1 - beta(CV)) x the mean of the neighbours' y, by module; y where it has no
  /// neighbours.
  void smooth(std::span<const double> demands, std::span<const double> cv, std::span<double> smoothed) const;

 private:
  double half_;
  std::vector<ModuleId> neighbours_;  ///< by module, one after the other
  std::vector<std::size_t> begins_;   ///< by module: its first; one more at the end
};

}  // namespace harness
