// A stage of a cell: its run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/offered_load.h"
#include "harness/experiment/cells/prepared_cell.h"

namespace harness {

/// Builds the runs of cells, and the parts of them by which plans are made.
class RunBuilder {
 public:
  explicit RunBuilder(OfferedLoads& offered) : offered_(offered) {}

  /// Returns what the settings and the SLO alone give.
  RunSpec of_settings(const ResolvedCell& cell);
  /// Adds the streams of the cell's trace, if it has any, the longest of their SLOs and, if the run has a
  /// system that asks for them, the modules' peaks.
  void add_streams(const ResolvedCell& cell, RunSpec& run);
  /// Adds the sample of its load that the run's system asks for, if it does.
  void add_sample(const ResolvedCell& cell, double target_rps, RunSpec& run);
  /// Returns all of the run but its sample and its arrivals.
  RunSpec world(const ResolvedCell& own);
  /// Returns the run of a prepared cell that can run.
  RunSpec run(const ResolvedCell& own, const PreparedCell& prepared);

 private:
  struct PeaksKey {
    std::string arrivals;  ///< arrivals_text()
    TimeNs period_ns;
    auto operator<=>(const PeaksKey&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct SampleKey {
    std::string arrivals;  ///< arrivals_text()
    bool foresight;
    auto operator<=>(const SampleKey&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  OfferedLoads& offered_;
  Memo<PeaksKey, std::vector<std::vector<double>>> peaks_;
  Memo<SampleKey, std::shared_ptr<const PlanningTimes>> samples_;  ///< the last few
};

}  // namespace harness
