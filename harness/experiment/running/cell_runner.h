// Runs an experiment's cells on this rank.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/experiment/cells/bounds.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/running/checked_experiment.h"
#include "harness/experiment/running/progress.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// Runs cells one by one and shows their progress. What it refers to must outlive it.
struct CellRunner {
  CheckedExperiment& experiment;
  const CellStore& store;
  CellDistribution& ranks;
  std::function<void()> check_signal;  ///< check called every few milliseconds; throws to end the run
  BoundCache bounds{};

  /// Simulates the cells, which have been dealt to the ranks. All ranks call it; it throws as on_all_ranks()
  /// does.
  void run_dealt(const std::vector<std::uint32_t>& cells, Progress& progress);

  /// Plans the cell, which begins here.
  PreparedCell begin(std::uint32_t cell, Progress& progress);
  CellRun how_to_run(const PreparedCell& prepared, Progress& progress);
  /// Runs or records the cell as run_cell() does, and finishes it.
  void run(const PreparedCell& prepared, Progress& progress);
  void finish(const SummaryRow& row, Progress& progress);
};

}  // namespace harness
