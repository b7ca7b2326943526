// A cell of a results file, made again from the settings that are stored beside its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/reading/experiment_spec.h"

namespace harness {

/// A cell that a run has recorded.
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
