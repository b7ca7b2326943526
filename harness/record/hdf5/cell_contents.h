// The whole contents of a cell, read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/run/request_row.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// The whole contents of one cell. Histograms keep their counts, so that every quantile is as in the run.
struct CellContents {
  SummaryRow summary;
  RunRecord record;
  std::vector<std::string> module_names;
  std::vector<RequestRow> requests;  ///< rows; empty if the run recorded none
  std::vector<VisitRow> visits;      ///< rows; empty if the run recorded none
};
/// Reads the cell with that index, without its replay. Throws InputError like read_summary(), and if there is
/// no such cell.
CellContents read_cell(const std::string& path, std::uint32_t index);

}  // namespace harness
