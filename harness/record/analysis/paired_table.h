// The table of a metric over the seeds of an experiment, with its difference from a baseline.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/workload_cells.h"
#include "harness/text/text_table.h"

namespace harness {

/// Returns a row per workload and series. It has the metric's mean over the seeds that have a value, with the
/// ends of its 95 % confidence interval (cut to [0, 1] for a share, to 0 and more for a metric that is never
/// negative); the means of its difference to and its ratio to `baseline`, paired by seed; and the mean share
/// of the fluid bound. Each mean has its interval and the number of its values. Differences have no value if
/// a workload lacks the baseline, intervals have none with one seed.
TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline);

}  // namespace harness
