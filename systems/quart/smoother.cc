#include "systems/quart/smoother.h"

#include <cstddef>

namespace harness {

double own_weight(double cv, double half) { return half == 0 ? 1 : cv / (half + cv); }

Smoother::Smoother(const Pipeline& pipeline, double half) : half_(half) {
  begins_.push_back(0);
  for (const Module& module : pipeline.modules) {
    neighbours_.insert(neighbours_.end(), module.pres.begin(), module.pres.end());
    neighbours_.insert(neighbours_.end(), module.subs.begin(), module.subs.end());
    begins_.push_back(neighbours_.size());
  }
}

void Smoother::smooth(std::span<const double> demands, std::span<const double> cv,
                      std::span<double> smoothed) const {
  for (std::size_t m = 0; m < demands.size(); ++m) {
    const std::size_t count = begins_[m + 1] - begins_[m];
    double sum = 0;
    for (std::size_t i = begins_[m]; i < begins_[m + 1]; ++i) sum += demands[neighbours_[i]];
    const double own = count == 0 ? 1 : own_weight(cv[m], half_);
    smoothed[m] = own * demands[m] + (count == 0 ? 0 : (1 - own) * sum / static_cast<double>(count));
  }
}

}  // namespace harness
