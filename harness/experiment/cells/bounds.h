// The bounds of a cell's optimum, computed once for all cells that share them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/engine/run_spec.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Bounds of the requests in time: the largest number that any policy could reach lies between
/// `offline_schedule` and `fluid`.
struct Bounds {
  std::uint64_t fluid = 0;                        ///< upper bound (engine/bounds/fluid_bound.h)
  std::optional<std::uint64_t> offline_schedule;  ///< lower bound (engine/bounds/offline_schedule.h)
};

/// A cache of bounds. Both bounds depend on the arrivals, the plan's rows and the world, not on the system's
/// decisions: systems with the same plan share them. A process keeps a few hundred bytes for each.
class BoundCache {
 public:
  /// Returns the bounds of `record`, a run of `spec`. `arrivals` identifies the arrivals: equal texts mean
  /// equal arrivals. The reference stays valid.
  const Bounds& of(const std::string& arrivals, const RunSpec& spec, const RunRecord& record);

 private:
  std::map<std::string, Bounds> known_;  ///< bounds by the hash of all that they depend on
};

}  // namespace harness
