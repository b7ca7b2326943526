// The CPU compensator (QUART, section 5.3): more cores for stages that have lost replicas.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/profile.h"
#include "systems/quart/corrector.h"

namespace harness {

/// The execution time of a stage over its cores, by linear regression: gpu_s + cpu_core_s / cores.
struct CoreModel {
  double gpu_s = 0;
  double cpu_core_s = 0;

  double exec_s(int cores) const { return gpu_s + cpu_core_s / cores; }
};

/// Fits the model by least squares to the times of batches with 1, 2, ... cores, at least two of them.
CoreModel fitted_core_model(const std::vector<double>& exec_s);

/// The cores chosen for one stage.
struct CoreChoice {
  int cores = 0;       ///< cores that it gets
  bool enough = true;  ///< true if they bring the delay down to the target
};

class CpuCompensator {
 public:
  /// `most` is CPU_max of an instance. A profile without cpu_ns, or measured with that many cores, gets no
  /// more.
  CpuCompensator(const Profile& profile, int batch, int most);

  bool has_effect() const { return most_ > measured_; }
  /// Returns the cores with which the profile was measured.
  int measured() const { return measured_; }
  /// Runs AllocateCPU for a stage with `replicas` and `cores`. If these cores meet the target, it returns
  /// them, or the profile's cores if they meet it, too. Otherwise it returns the smallest larger number that
  /// meets it, by the model; `most` if no number does. The load's times are the times with `cores`.
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
