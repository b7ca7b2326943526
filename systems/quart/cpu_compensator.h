// The CPU compensator (QUART, section 5.3): more cores for stages that have lost replicas.
#pragma once

#include "harness/core/profile.h"
#include "systems/quart/core_model.h"
#include "systems/quart/delay_method.h"
#include "systems/quart/stage_load.h"

namespace harness {

struct CoreChoice;

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

/// The cores chosen for one stage.
struct CoreChoice {
  int cores = 0;       ///< cores that it gets
  bool enough = true;  ///< true if they bring the delay down to the target
};

}  // namespace harness
