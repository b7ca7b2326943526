// Notes of a run on its finished cells.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/expansion.h"
#include "harness/record/run/summary.h"

namespace harness {

/// Returns "cells 3, 5 and 12 more: batches of a module end in step (lockstep up to 0.93)" for simulated
/// cells whose lockstep is above kInStep; "" if there are no such cells.
std::string lockstep_text(const std::vector<SummaryRow>& rows);

/// Returns "cells 0, 1 and 2 have the same fingerprint: trace.t.cv changes nothing between them" for
/// simulated cells that differ only in swept keys, and the number of further groups of such cells; "" if
/// there are no such cells. `cells` has all cells of the experiment, by index.
std::string same_fingerprint_text(const ExperimentSpec& spec, const std::vector<Cell>& cells,
                                  const std::vector<SummaryRow>& rows);

}  // namespace harness
