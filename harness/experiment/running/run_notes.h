// Notes of a run, before it and on its finished cells.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/experiment/reading/cell.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// Returns what a reader should know before the run, a line each: what recorded traces were read as, and
/// warnings, which begin with "warning".
std::vector<std::string> run_notes(const CellFactory& factory, std::span<const DeviceNeed> needs,
                                   std::span<const RankMachine> machines);

/// Returns "cells 3, 5 and 12 more: batches of a module end in step (lockstep up to 0.93)" for simulated
/// cells whose lockstep is above kInStep; "" if there are no such cells.
std::string lockstep_text(const std::vector<SummaryRow>& rows);

/// Returns "cells 0, 1 and 2 have the same fingerprint: trace.t.cv changes nothing between them" for
/// simulated cells that differ only in swept keys, and the number of further groups of such cells; "" if
/// there are no such cells. `cells` has all cells of the experiment, by index.
std::string same_fingerprint_text(const ExperimentSpec& spec, const std::vector<Cell>& cells,
                                  const std::vector<SummaryRow>& rows);

}  // namespace harness
