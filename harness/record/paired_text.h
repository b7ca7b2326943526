// A comparison with a baseline, seed by seed, as a table: `harness show --paired`.
#pragma once

#include <string>
#include <vector>

#include "harness/record/paired.h"
#include "harness/record/text_table.h"

namespace harness {

/// A row per workload and series: the metric's mean over the seeds with the half-width of its 95 % interval,
/// the mean of its difference to `baseline` and of its ratio, taken seed by seed, with theirs, and the mean
/// share of the fluid bound. Without a value: differences where a workload lacks the baseline, half-widths of
/// one seed.
TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline);

/// The names of all series, in order of their first row.
std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads);

}  // namespace harness
