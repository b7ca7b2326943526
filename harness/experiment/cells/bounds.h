// The bounds of a cell's optimum, computed once for all cells that share them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/engine/run_spec.h"

namespace harness {

/// Requests in time: the most that any policy could reach lies between `offline_schedule` and `fluid`.
struct Bounds {
  std::uint64_t fluid = 0;                        ///< engine/bounds/fluid_bound.h
  std::optional<std::uint64_t> offline_schedule;  ///< engine/bounds/offline_schedule.h
};

/// Both bounds depend on the arrivals, the plan's rows and the world, not on the system's decisions: systems
/// with the same plan share them. A process keeps a few hundred bytes for each.
class BoundCache {
 public:
  /// `arrivals` says what the arrivals of `spec` are: equal texts, equal arrivals. The reference stays valid.
  const Bounds& of(const std::string& arrivals, const RunSpec& spec, const RunRecord& record);

 private:
  std::map<std::string, Bounds> known_;  ///< by hash
};

}  // namespace harness
