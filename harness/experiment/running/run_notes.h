// What a run says of its finished cells.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/expansion.h"
#include "harness/record/run/summary.h"

namespace harness {

/// "cells 3, 5 and 12 more: batches of a module end in step (lockstep up to 0.93)" of simulated cells whose
/// lockstep is above kInStep; "" where there is none.
std::string lockstep_text(const std::vector<SummaryRow>& rows);

/// "cells 0, 1 and 2 have the same fingerprint: trace.t.cv changes nothing between them" of simulated cells
/// that differ in swept keys alone, and how many groups of such cells there are besides; "" where there is
/// none. `cells` are all of the experiment, by index.
std::string same_fingerprint_text(const ExperimentSpec& spec, const std::vector<Cell>& cells,
                                  const std::vector<SummaryRow>& rows);

}  // namespace harness
