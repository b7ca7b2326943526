// What an experiment would run (`--dry-run`).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/running/checked_experiment.h"
#include "harness/experiment/running/seed_rounds.h"

namespace harness {

/// The cells that an experiment would run, once they are planned.
class DryRun {
 public:
  /// `experiment` must outlive this. Throws what `check_signal` throws.
  DryRun(CheckedExperiment& experiment, const SeedRounds& seeds, int ranks,
         const std::function<void()>& check_signal);
  bool has_skipped() const;
  /// Returns the table of cells or, if `brief`, one line.
  std::string text(bool brief) const;
  /// Returns an object (docs/commands.md). `results` is the path of STEM.h5.
  std::string json(const std::string& results) const;

 private:
  std::vector<std::string> notes() const;

  CheckedExperiment& experiment_;
  std::size_t planned_;  ///< number of cells of all parts, for the seeds so far
  int ranks_;
  std::vector<PreparedCell> cells_;
};

/// Returns "540 cells, 346 M requests", and how long live ones take.
std::string dry_run_total(const std::vector<PreparedCell>& cells);

/// Returns a table of the cells: batch size x workers of each module, capacity, offered rate, expected
/// requests.
std::string dry_run_table(const std::vector<PreparedCell>& cells);

/// Returns a line for each layout that the live cells have on so many ranks, and for each kind of cluster
/// with servers; empty if there are no such cells.
std::string layout_text(const std::vector<PreparedCell>& cells, int ranks);

/// Returns a line for each plan of simulated cells in which the shared planner would choose other batch sizes
/// if execution times were 1 % longer or shorter.
std::vector<std::string> size_notes(CellFactory& factory, const std::vector<PreparedCell>& cells);

}  // namespace harness
