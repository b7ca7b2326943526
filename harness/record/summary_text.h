// /summary as text: a table for people, JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/record/summary.h"

namespace harness {

/// Names of all columns, in the order of SummaryRow::list.
std::vector<std::string> summary_columns();

/// The columns of a table when none are named: those of the README, `parameters` when a cell has some,
/// `status` and `why` when a cell is not ok.
std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows);

/// Aligned with spaces, a header first; numbers rounded to six significant digits; "-" for empty text
/// and for kNoValue.
std::string summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);
/// An array of objects. Numbers in the shortest form that reads back to the same value, null for kNoValue.
std::string summary_json(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);
/// RFC 4180, a header first; numbers as in JSON, nothing for kNoValue.
std::string summary_csv(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns);

}  // namespace harness
