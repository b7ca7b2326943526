// The cells of a results file, grouped by workload and by series.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/record/run/summary_row.h"

namespace harness {

struct SeriesCells;

/// The finished cells of one workload.
struct WorkloadCells {
  std::string workload;
  std::vector<SeriesCells> series;  ///< at least one

  /// Returns the first row of the first series.
  const SummaryRow& first() const;
  /// Returns the series of that name, or null.
  const SeriesCells* find(const std::string& name) const;
};

/// The finished cells of one series on one workload, in order of the rows.
struct SeriesCells {
  std::string name;
  std::vector<const SummaryRow*> rows;  ///< one row per seed; a seed that comes again is left out
};
/// Returns the row of that seed, or null.
const SummaryRow* with_seed(const SeriesCells& series, std::uint64_t seed);

/// Sorts rows by their columns `workload` and `series`, both in order of their first row. Rows that are not
/// "ok" are left out. The result points into `rows`.
std::vector<WorkloadCells> by_workload(std::span<const SummaryRow> rows);

/// Returns the names of all series, in order of their first row.
std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads);

}  // namespace harness
