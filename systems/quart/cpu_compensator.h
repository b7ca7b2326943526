// The CPU compensator (QUART, section 5.3): more cores for stages that have lost replicas.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/profile.h"
#include "systems/quart/corrector.h"

namespace harness {

/// A stage's time over its cores by linear regression: gpu_s + cpu_core_s / cores.
struct CoreModel {
  double gpu_s = 0;
  double cpu_core_s = 0;

  double exec_s(int cores) const { return gpu_s + cpu_core_s / cores; }
};

/// Least squares over profile points: times of batches with 1, 2, ... cores, at least two of them.
CoreModel fitted_core_model(const std::vector<double>& exec_s);

/// Of one stage.
struct CoreChoice {
  int cores = 0;       ///< that it gets
  bool enough = true;  ///< whether they bring the delay down to the target
};

class CpuCompensator {
 public:
  /// `most`: CPU_max of an instance. A profile without cpu_ns, or measured with as many, gets none.
  CpuCompensator(const Profile& profile, int batch, int most);

  bool has_effect() const { return most_ > measured_; }
  /// With which the profile was measured.
  int measured() const { return measured_; }
  /// AllocateCPU for a stage with `replicas` and `cores`: what it has where that meets the target, or as the
  /// profile was measured where that does too; else the fewest more that do, by the model; `most` where none
  /// do. The load's times are those with `cores`.
  CoreChoice allocate(DelayMethod method, const StageLoad& load, int replicas, int cores,
                      double target_s) const;

 private:
  double delay_with_s(DelayMethod method, const StageLoad& load, int replicas, int cores) const;

  int batch_;
  int measured_;
  int most_;
  CoreModel model_;
};

}  // namespace harness
