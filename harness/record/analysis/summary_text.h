// /summary as a table.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

/// Names of all columns, in the order of SummaryRow::list.
std::vector<std::string> summary_columns();

/// The columns of a table when none are named: those of the README, `parameters` when a cell has some,
/// `status` and `why` when a cell is not ok.
std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows);

/// A row per cell. Of a cell that did not run people see no numbers but those that it was given.
TextTable summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);

}  // namespace harness
