// A stage of a cell: its plan.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/cells/run_builder.h"
#include "harness/serving/plan.h"

namespace harness {

/// A plan for a cell's settings and its load.
struct CellPlan {
  Plan plan;
  bool is_shared = false;  ///< true: the shared planner made it
  double capacity_rps = 0;
  std::string why;  ///< reason why there is no plan or it cannot be served; "": it can
};

/// Plans cells, with the shared planner or, for their own settings, the planner that the system brings, if
/// any. A system that the shared planner plans for has the same plan whatever its own parameters are.
class CellPlanner {
 public:
  explicit CellPlanner(RunBuilder& runs) : runs_(runs) {}

  const CellPlan& of(const ResolvedCell& cell, double offered_rps, double target_rps);

 private:
  struct Key {
    std::size_t pipeline;
    TimeNs slo_ns;
    std::size_t planning;                 ///< CommonSettings::planning
    double offered_rps = 0;               ///< rate if it decides
    const SystemSpec* system = nullptr;   ///< system that plans for itself; null: the shared planner plans
    std::vector<std::size_t> swept = {};  ///< Cell::swept if the system plans for itself
    std::string arrivals = {};            ///< arrivals_text() if they decide
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  /// Returns true unless the shared planner plans for the system.
  bool plans_itself(const ResolvedCell& own);
  CellPlan made(const ResolvedCell& cell, std::unique_ptr<System> system, double offered_rps,
                double target_rps);

  RunBuilder& runs_;
  Memo<Key, CellPlan> known_;
  Memo<std::size_t, bool> plans_itself_;  ///< truths by CommonSettings::number
};

}  // namespace harness
