// The configuration that InferLine chooses for each model of a pipeline (section 4.3).
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace harness {

/// The three control parameters of one model.
struct ModelConfiguration {
  std::uint16_t device = 0;  ///< index of the kind of device
  int max_batch = 1;
  int replicas = 1;

  bool operator==(const ModelConfiguration&) const = default;
  bool operator<(const ModelConfiguration& other) const {
    return std::tie(device, max_batch, replicas) < std::tie(other.device, other.max_batch, other.replicas);
  }
};

/// Returns a number of replicas: the least whole number that is at least 1 and not below `value`, rounding
/// errors aside.
int ceil_of(double value);

/// The configuration of each model, by module.
using Configuration = std::vector<ModelConfiguration>;

}  // namespace harness
