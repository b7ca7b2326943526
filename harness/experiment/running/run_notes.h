// Notes of a run, before it and on its finished cells.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/running/checked_experiment.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// Returns what a reader should know before the run, a line each: what recorded traces were read as, and
/// warnings, which begin with "warning".
std::vector<std::string> run_notes(const CheckedExperiment& experiment);
/// Returns what a reader should know of the finished cells, a line each: length_notes(), lockstep_text(), and
/// which simulated cells have the same fingerprint though they differ in swept keys.
std::vector<std::string> end_notes(const CheckedExperiment& experiment, const std::vector<SummaryRow>& rows);

/// Returns "cells 3, 5 and 12 more: batches of a module end in step (lockstep up to 0.93)" for simulated
/// cells whose lockstep is above kInStep; "" if there are no such cells.
std::string lockstep_text(const std::vector<SummaryRow>& rows);

}  // namespace harness
