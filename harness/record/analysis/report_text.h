// Reports of comparisons and of a simulation's fidelity as text: tables for people, JSON and JUnit for
// programs.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/comparison.h"
#include "harness/record/analysis/fidelity.h"
#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

// /summary as a table.

/// Returns the names of all columns, in the order of SummaryRow::list.
std::vector<std::string> summary_columns();

/// Returns the columns of a table for which the user names no columns. Some of them depend on the rows, such
/// as `parameters` (if a cell has some) and `status` and `why` (if a cell is not ok).
std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows);

/// Returns a row per cell. For a cell that did not run, people see only the numbers that it was given.
TextTable summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);

/// Returns "cell 3", "cells 3 and 5" or "cells 3, 5 and 12 more": the first `named` of them by their numbers.
std::string numbered(const std::vector<std::uint32_t>& cells, std::size_t named);
/// Returns notes on how far results depend on the length of their run: which requests were not counted, in
/// which cells the queue still grew, and for which cells nobody can tell whether it did.
std::vector<std::string> length_notes(const std::vector<SummaryRow>& rows);

/// Returns a table with a row per series and metric, then the cells that stopped or resumed, the differing
/// settings, the reasons why something is not comparable, and the counts.
std::string comparison_table(const Comparison& comparison);
/// Returns a JSON object: the counts, `metrics` with numbers in full, and the lists of the table as texts.
std::string comparison_json(const Comparison& comparison);
/// Returns JUnit's XML: a test case per series and metric and per cell that stopped or resumed. A regression
/// fails; a problem that makes something not comparable is an error.
std::string comparison_junit(const Comparison& comparison);

/// Returns a table with a row per live cell and metric, then the cells that are not ok or have no
/// counterpart, then the counts.
std::string fidelity_table(const Fidelity& fidelity);
/// Returns a JSON object: `slowdown`, a table of the devices' speeds (unless null), the counts, `rows` with
/// numbers in full, and the lists of the table as texts.
std::string fidelity_json(const Fidelity& fidelity, const TextTable* slowdowns = nullptr);
/// Returns JUnit's XML: a test case per live cell and metric, in which "beyond" and "invalid" fail. A cell
/// without a counterpart is an error.
std::string fidelity_junit(const Fidelity& fidelity);

}  // namespace harness
