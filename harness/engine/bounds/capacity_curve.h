// The capacity of a run over time.
#pragma once

#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The capacity in requests/s by the plan rows, a step function of time.
class CapacityCurve {
 public:
  /// `profiles` has one entry per module; it may be empty if all services are batch.
  CapacityCurve(const Pipeline& pipeline, const RunRecord& record, std::span<const Profile> profiles = {});
  /// Returns the capacity of the bottleneck module at that time: workers x max_batch / exec / (probability
  /// that a request visits it); for other services workers x worker_rps / that probability.
  double at(TimeNs now) const;

 private:
  struct Step {
    TimeNs at_ns;
    double capacity_rps;
  };
  std::vector<Step> steps_;
};

}  // namespace harness
