// Overload control instead of estimates (PARD-oc, section 5.3), after DAGOR (Zhou et al., SoCC'18).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/random.h"
#include "systems/pard/pard_params.h"

namespace harness {

/// What a worker admits: the requests whose priority lies below the level. A request has the same priority
/// in every module, so that modules with one level admit the same requests (DAGOR's consistent priority).
class AdmissionLevel {
 public:
  explicit AdmissionLevel(std::uint64_t seed) : key_(RandomStream(seed, "pard_admission").bits()) {}

  void set(double level) { level_ = level; }
  bool admits(RequestId request) const { return level_ >= 1 || priority(request) < level_; }
  /// Uniform in [0, 1).
  double priority(RequestId request) const {
    return static_cast<double>(mix64(key_ ^ mix64(request + 1)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t key_;
  double level_ = 1;
};

/// The levels that a module's controller knows. With admission = none all of them stay 1.
class OverloadControl {
 public:
  OverloadControl(const Pipeline& pipeline, ModuleId module, const PardParams& params);

  /// The end of a state period whose visits queued so long in the mean. Overloaded (beyond the threshold):
  /// the own level falls by its part overload_alpha; else it rises by overload_recovery, up to 1.
  void on_period(double queueing_mean_ns);
  /// A module has published its own level. True when that changes admitted(); modules that do not come later
  /// never do.
  bool on_level(ModuleId module, double level);

  double level() const { return levels_[module_]; }
  /// The least of the own level and those of all modules behind it.
  double admitted() const;

 private:
  bool controls_;
  double threshold_ns_;
  double alpha_;
  double recovery_;
  ModuleId module_;
  std::vector<bool> counts_;  ///< by module: the own and those that can be reached from it
  std::vector<double> levels_;
};

}  // namespace harness
