// A stage of a cell: the capacity that its load is relative to.
#pragma once

#include <string>

#include "harness/experiment/cells/cell_plan.h"

namespace harness {

/// The capacity that a cell's load is relative to, and the rate that this gives.
struct LoadReference {
  double capacity_rps = 0;  ///< capacity; 0: no plan meets the SLO, or it is not known
  double overload_rps = 0;  ///< PreparedCell::overload_rps
  double target_rps = 0;    ///< rate that the cell's arrivals are scaled to
  std::string why;          ///< reason why there is no such rate; "": there is
};

/// Finds the references of cells: the capacity of the shared settings' plan; for task trees, streams and
/// several kinds of devices, the best capacity of any plan.
class LoadReferences {
 public:
  LoadReferences(CellResolver& resolver, RunBuilder& runs, CellPlanner& plans)
      : resolver_(resolver), runs_(runs), plans_(plans) {}

  LoadReference of(const ResolvedCell& own);

 private:
  struct Key {
    std::size_t settings;                          ///< CommonSettings::number
    double rate;                                   ///< rate of streams, else 0
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  double best_capacity(const ResolvedCell& shared);

  CellResolver& resolver_;
  RunBuilder& runs_;
  CellPlanner& plans_;
  Memo<Key, double> best_;
};

}  // namespace harness
