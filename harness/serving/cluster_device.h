// The kinds of devices of a cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// A kind of device in the cluster (InferLine, section 2: heterogeneous hardware), with its price.
struct ClusterDevice {
  std::string name;
  int count = 0;         ///< number of workers of this kind that are possible
  double usd_per_h = 0;  ///< price of one worker, with all that it takes; 0: no price is known
  /// Scaled profile of each module; nothing: its model does not run on this kind.
  std::vector<std::optional<Profile>> profiles;
};

}  // namespace harness
