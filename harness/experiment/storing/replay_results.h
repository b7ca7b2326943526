// Repeats the decisions of recorded runs, and finds the first one that differs.
#pragma once

#include <optional>
#include <string>

#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// What `harness replay` prints.
struct ReplayVerdict {
  std::string text;
  std::string json;  ///< the same as an object (docs/commands.md)
  bool differs = false;
};

/// Makes the scheduler of each recorded queue again, feeds it what the run's had got, and compares what
/// it decides. Relative paths of the experiment start at `folder`. Throws InputError: no cell holds a replay,
/// this build does not know the system, or the cell's pipeline or profiles have changed.
ReplayVerdict replay_results(const std::string& path, const std::string& folder);

/// Compares the cells of two results files, paired by what they are: what reached each queue, then
/// what was decided; where one of the two has no replay, their fingerprints, then their visits. Throws
/// InputError: no two cells are the same.
ReplayVerdict compare_replays(const std::string& before, const std::string& after);

/// A cell of a results file, made again from the settings that stand beside its results.
class RecordedCell {
 public:
  /// `toml` are the effective settings of cell `index` of the file at `path`; relative paths in them start at
  /// `folder`. With `runtime`, the same cell under that one. Throws InputError: this build does not know the
  /// system, or the pipeline or the profiles are no longer those of the run.
  RecordedCell(const std::string& path, std::uint32_t index, const std::string& toml,
               const std::string& folder, std::optional<Runtime> runtime = {});
  RecordedCell(const RecordedCell&) = delete;
  RecordedCell& operator=(const RecordedCell&) = delete;

  /// All of the run but its arrivals.
  RunSpec make_world();
  PreparedCell prepare() { return factory_->prepare(cell()); }
  /// The whole run. `prepared` says that it can run.
  RunSpec make_run(const PreparedCell& prepared) { return factory_->make_run(prepared); }

 private:
  const Cell& cell() const { return factory_->cells().front(); }

  ExperimentSpec spec_;
  std::optional<CellFactory> factory_;  ///< refers to spec_
};

/// "cells/7", for messages.
inline std::string cell_place(std::uint32_t index) { return "cells/" + std::to_string(index); }

}  // namespace harness
