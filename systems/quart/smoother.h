// Smoothing along the pipeline (QUART, section 5.2, Eq. 7): the needs of a stage are blended with the needs
// of its neighbours.
#pragma once

#include <span>
#include <vector>

#include "harness/core/pipeline.h"

namespace harness {

/// Returns beta(CV) of Eq. 7, the weight of a stage's own demand: CV / (half + CV); 1 if `half` is 0.
double own_weight(double cv, double half);

/// Smooths demands over neighbours, which are the stages just before and after.
class Smoother {
 public:
  /// `pipeline` need not outlive this.
  Smoother(const Pipeline& pipeline, double half);
  /// Writes Eq. 7 to `smoothed`, by module: y' = beta(CV) y + (1 - beta(CV)) x the mean of the neighbours' y;
  /// y if it has no neighbours.
  void smooth(std::span<const double> demands, std::span<const double> cv, std::span<double> smoothed) const;

 private:
  double half_;
  std::vector<ModuleId> neighbours_;  ///< neighbours of all modules, one module after the other
  std::vector<std::size_t> begins_;   ///< index of its first neighbour, by module; one more at the end
};

}  // namespace harness
