// Overload control instead of estimates (PARD-oc, section 5.3), after DAGOR (Zhou et al., SoCC'18).
#pragma once

#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/pard/pard_params.h"

namespace harness {

/// The levels that a module's controller knows. With admission = none all stay 1.
class OverloadControl {
 public:
  OverloadControl(const Pipeline& pipeline, ModuleId module, const PardParams& params);

  /// Tells it that a state period has ended, with the mean queueing delay of its visits. If that is beyond
  /// the threshold (overload), the module's own level falls by its part overload_alpha; else it rises by
  /// overload_recovery, up to 1. With admission = fixed it is overload_admitted in overload, else 1.
  void on_period(double queueing_mean_ns);
  /// Tells it a level that a module has published for itself. Returns true if that changes admitted(), which
  /// only later modules can do.
  bool on_level(ModuleId module, double level);

  double level() const { return levels_[module_]; }
  /// Returns the least of the module's own level and the levels of all modules after it.
  double admitted() const;

 private:
  AdmissionRule rule_;
  double threshold_ns_;
  double alpha_;
  double recovery_;
  double admitted_;
  ModuleId module_;
  std::vector<bool> counts_;  ///< true for the module itself and for modules that can be reached from it
  std::vector<double> levels_;
};

}  // namespace harness
