// What became worse, and how true a simulation is, as text: tables for people, JSON and JUnit for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/comparison.h"
#include "harness/record/analysis/fidelity.h"
#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

// /summary as a table.

/// Names of all columns, in the order of SummaryRow::list.
std::vector<std::string> summary_columns();

/// The columns of a table when none are named: those of the README, `parameters` when a cell has some,
/// `status` and `why` when a cell is not ok.
std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows);

/// A row per cell. Of a cell that did not run people see no numbers but those that it was given.
TextTable summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);

/// Returns "cell 3", "cells 3 and 5" or "cells 3, 5 and 12 more": the first `named` of them by their numbers.
std::string numbered(const std::vector<std::uint32_t>& cells, std::size_t named);
/// Returns lines that say how far results depend on the length of their run: which requests were not counted,
/// in which cells the queue still grew, and in which nobody can tell.
std::vector<std::string> length_notes(const std::vector<SummaryRow>& rows);

/// A row per series and metric, then the cells that stopped or resumed, what is not comparable, the counts.
std::string comparison_table(const Comparison& comparison);
/// An object: the counts, `metrics` with numbers in full, and the lists of the table as texts.
std::string comparison_json(const Comparison& comparison);
/// JUnit's XML: a test case per series and metric and per cell that stopped or resumed; a regression fails.
/// What is not comparable is an error.
std::string comparison_junit(const Comparison& comparison);

/// A row per live cell and metric, then the cells that are not ok or stand alone, then the counts.
std::string fidelity_table(const Fidelity& fidelity);
/// An object: the counts, `rows` with numbers in full, and the lists of the table as texts; before them
/// `slowdown`, a table of how fast the devices were, where there is one.
std::string fidelity_json(const Fidelity& fidelity, const TextTable* slowdowns = nullptr);
/// JUnit's XML: a test case per live cell and metric, "beyond" and "invalid" fail; a cell alone is an error.
std::string fidelity_junit(const Fidelity& fidelity);

}  // namespace harness
