// Which cells are one workload, and which are one series on it. The columns `workload` and `series` of
// /summary say so; whoever groups cells reads these.
#pragma once

#include <span>
#include <string>

#include "harness/record/run/summary.h"

namespace harness {

/// Returns "pard", or with a variant other than the default "pard/back".
std::string configuration_text(const std::string& system, const std::string& variant);

/// Returns what the column `series` holds: the configuration and what is swept for its system alone, without
/// the system's name: "pard/back lambda=0.2". `swept` is "key=value key=value".
std::string series_text(const CellIdentity& cell, const std::string& swept);

/// Returns what the column `workload` holds: all that cells to be compared have in common but the seed, such
/// as "lv tweet load 1.2 slo 500 ms emulated cluster.workers=64". `shared` is "key=value key=value".
std::string workload_text(const CellIdentity& cell, const std::string& offered, const std::string& slo,
                          const std::string& shared);

/// Returns the shared parameters at the end of the cell's workload, "key=value key=value".
std::string shared_parameters(const CellIdentity& cell);

/// Fills both columns of rows that have none, as of files of an older version. A parameter is taken for
/// shared when all rows of its pipeline, trace and runtime have it, and every configuration with the same
/// values; what only some have is their own. results/harness_results/series.py does the same.
void name_series(std::span<SummaryRow> rows);

}  // namespace harness
