// The grouping of cells by workload, and by series on a workload, in the columns `workload` and `series` of
// /summary. All code that groups cells reads these columns.
#pragma once

#include <span>
#include <string>

#include "harness/record/run/summary_row.h"

namespace harness {

/// Returns "pard", or "pard/back" if the variant is not the default.
std::string configuration_text(const std::string& system, const std::string& variant);

/// Returns the text of the column `series`: the configuration and the parameters that are swept for its
/// system alone, these without the system's name: "pard/back lambda=0.2". `swept` is "key=value key=value".
std::string series_text(const CellIdentity& cell, const std::string& swept);

/// Returns the text of the column `workload`: everything but the seed that cells to be compared have in
/// common, such as "lv tweet load 1.2 slo 500 ms emulated cluster.workers=64". `shared` is "key=value
/// key=value".
std::string workload_text(const CellIdentity& cell, const std::string& offered, const std::string& slo,
                          const std::string& shared);

/// Returns the shared parameters at the end of the cell's workload, "key=value key=value".
std::string shared_parameters(const CellIdentity& cell);

/// Fills both columns of rows that lack them, as rows of an older file do. A parameter counts as shared if
/// all rows of its pipeline, trace and runtime have it, and every configuration has it with the same values;
/// any other parameter belongs to the series. results/harness_results/series.py does the same.
void name_series(std::span<SummaryRow> rows);

}  // namespace harness
