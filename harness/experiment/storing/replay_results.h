// Repeats the decisions of recorded runs, and finds the first one that differs.
#pragma once

#include <optional>
#include <string>

#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// The output of `harness replay`.
struct ReplayVerdict {
  std::string text;
  std::string json;  ///< the same as a JSON object (docs/commands.md)
  bool differs = false;
};

/// Makes the scheduler of each recorded queue again, feeds it with what the run's scheduler received, and
/// compares its decisions. Relative paths of the experiment start at `folder`. Throws InputError if no cell
/// holds a replay, if this build does not know the system, or if the cell's pipeline or profiles have
/// changed.
ReplayVerdict replay_results(const std::string& path, const std::string& folder);

/// Compares the cells of two results files, paired by their identities: first what reached each queue, then
/// the decisions; if one of the two has no replay, their fingerprints, then their visits. Throws InputError
/// if no two cells are the same.
ReplayVerdict compare_replays(const std::string& before, const std::string& after);

/// A cell of a results file, made again from the settings that are stored beside its results.
class RecordedCell {
 public:
  /// `toml` has the effective settings of cell `index` of the file at `path`; relative paths in them start at
  /// `folder`. With `runtime`, it is the same cell in that runtime. Throws InputError if this build does not
  /// know the system, or if the pipeline or the profiles are no longer the ones of the run.
  RecordedCell(const std::string& path, std::uint32_t index, const std::string& toml,
               const std::string& folder, std::optional<Runtime> runtime = {});
  RecordedCell(const RecordedCell&) = delete;
  RecordedCell& operator=(const RecordedCell&) = delete;

  /// Returns all of the run but its arrivals.
  RunSpec make_world();
  PreparedCell prepare() { return factory_->prepare(cell()); }
  /// Returns the whole run. `prepared` must say that it can run.
  RunSpec make_run(const PreparedCell& prepared) { return factory_->make_run(prepared); }

 private:
  const Cell& cell() const { return factory_->cells().front(); }

  ExperimentSpec spec_;
  std::optional<CellFactory> factory_;  ///< refers to spec_
};

/// Returns a cell's place for messages, such as "cells/7".
inline std::string cell_place(std::uint32_t index) { return "cells/" + std::to_string(index); }

}  // namespace harness
