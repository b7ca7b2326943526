// /summary as a table.
#pragma once

#include <string>
#include <vector>

#include "harness/record/run/summary_row.h"
#include "harness/text/text_table.h"

namespace harness {

/// Returns the names of all columns, in the order of SummaryRow::list.
std::vector<std::string> summary_columns();

/// Returns the columns of a table for which the user names no columns. Some of them depend on the rows, such
/// as `parameters` (if a cell has some) and `status` and `why` (if a cell is not ok).
std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows);

/// Returns a row per cell. For a cell that did not run, people see only the numbers that it was given.
TextTable summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);

}  // namespace harness
