// Makes cells concrete: loads what they name, plans, and builds the run.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/cells/cell_plan.h"
#include "harness/experiment/cells/load_reference.h"
#include "harness/experiment/cells/loaded_inputs.h"
#include "harness/experiment/cells/offered_load.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/resolved_cell.h"
#include "harness/experiment/cells/run_builder.h"

namespace harness {

/// Takes cells through their stages, each of which keeps what it has made. Every fault in what the experiment
/// names is an InputError of the constructor or of prepare(): once all cells are prepared, nothing in the
/// input can go wrong later.
class CellFactory {
 public:
  /// `build` identifies the program, `ranks` is the number of ranks that live cells run on. `spec` must
  /// outlive this.
  CellFactory(const ExperimentSpec& spec, std::string build, int ranks = 1);

  const std::vector<Cell>& cells() const { return cells_; }
  /// Imports the recorded traces of all cells, so that other processes find them done. Throws as
  /// imported_trace() does.
  void prepare_traces() const;
  PreparedCell prepare(const Cell& cell);
  /// Returns all of a cell's run but its arrivals. It reads a trace only if that gives the streams or the
  /// lengths of texts.
  RunSpec make_world(const Cell& cell) { return runs_.world(resolver_.of(cell, SettingsScope::kOwn)); }
  /// Returns lines on settings without an effect (unused_settings()), then on the recorded traces of the
  /// cells prepared so far, each line once: "trace NAME: what was read as what", "warning: trace NAME: what
  /// is not as one might think" (make_arrivals()).
  const std::vector<std::string>& remarks() const { return inputs_.remarks(); }
  /// Returns lines with the checksums of the cell's pipeline and profiles, as its effective settings have
  /// them.
  std::string checksums(const Cell& cell);
  /// Returns the run of a prepared cell that can run.
  RunSpec make_run(const PreparedCell& prepared);

 private:
  std::string checksums_of(const ResolvedCell& own);
  /// Returns the names of the cell, with the hash of its effective settings.
  CellIdentity identity(const ResolvedCell& own, const PreparedCell& prepared, bool has_target);

  std::string build_;
  int ranks_;
  LoadedInputs inputs_;
  std::vector<Cell> cells_;
  CellResolver resolver_{inputs_};
  OfferedLoads offered_;
  RunBuilder runs_{offered_};
  CellPlanner plans_{runs_};
  LoadReferences references_{resolver_, runs_, plans_};
};

}  // namespace harness
