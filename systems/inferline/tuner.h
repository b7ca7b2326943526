// A tuner of InferLine, which changes the replicas that the Planner has chosen (section 5).
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"

namespace harness {

/// A tuner changes replicas and nothing else. It is called in the order of time and is single-threaded.
class Tuner {
 public:
  virtual ~Tuner() = default;
  /// Returns the replicas from now on, by module, at least 1 each. `sent_ns` are the sending times of the
  /// queries since the last call.
  virtual std::vector<int> replicas(TimeNs now, std::span<const TimeNs> sent_ns,
                                    const std::vector<int>& current) = 0;
  /// Called before each replicas() with the number of requests that are in the system then.
  virtual void on_requests_in_system(double /*requests*/) {}
};

/// Cuts the additions if the cluster has too few devices of a kind: each model gets the same share of what it
/// wants.
void limit_to_cluster(const Hardware& hardware, const Configuration& planned, const std::vector<int>& current,
                      std::vector<int>& wanted);

}  // namespace harness
