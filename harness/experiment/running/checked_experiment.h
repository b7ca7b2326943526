// An experiment that has been read and planned.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/experiment/reading/cell.h"
#include "harness/experiment/running/cell_needs.h"
#include "harness/experiment/running/run_options.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/ranks/cell_distribution.h"

namespace harness {

/// The cells of an experiment and what they need; each rank has them. No results are written to make them.
struct CheckedExperiment {
  /// Reads the experiment. On each host one rank imports recorded traces before the others look for them.
  /// Throws InputError.
  CheckedExperiment(const RunOptions& options, const std::string& file, const CellDistribution& ranks);
  CheckedExperiment(const CheckedExperiment&) = delete;
  CheckedExperiment& operator=(const CheckedExperiment&) = delete;
  /// Plans every cell of the part; called once. Throws InputError for all that is wrong with them, and what
  /// `check_signal` throws.
  void plan_cells(const CellDistribution& ranks, const std::function<void()>& check_signal);

  /// Returns a hash of the part's cells, which must be the same on every rank.
  std::string digest() const;
  /// Returns the number of cells of all parts; 0 if it depends on [repeat_until].
  std::uint64_t cells_of_all() const { return spec.repeat ? 0 : cells.size(); }
  bool is_live(std::uint32_t cell) const { return factory.cells().at(cell).runtime != Runtime::kSimulated; }
  /// Throws InputError, which says what differs, for a cell of other results in the experiment's place.
  [[noreturn]] void refuse(const ForeignCell& foreign);
  /// Throws InputError for results in its place that hold that cell of another part.
  [[noreturn]] void refuse_other_part(const std::string& path, std::uint32_t cell) const;
  /// Returns why the cell's devices are not there; empty: they are. Only rank 0's answer counts.
  std::string why_no_devices_for(std::uint32_t cell) const;

  ExperimentPart part;
  ExperimentSpec spec;
  CellFactory factory;
  std::vector<ExpectedCell> cells;  ///< all cells; without a hash in other parts
  std::vector<double> costs;        ///< cost of each cell: expected requests, or seconds of a live one
  ExperimentNeeds needs;
  std::vector<DeviceNeed> device_needs;  ///< needs of the cells with runtime = "gpu"
  std::vector<RankMachine> machines;     ///< machines by rank; on rank 0, once gathered for `device_needs`
  std::string inputs;                    ///< Provenance::experiment_inputs
};

}  // namespace harness
