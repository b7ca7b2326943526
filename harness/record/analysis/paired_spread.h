// The spread of a metric over seeds, and of its difference from a baseline that is paired by seed.
#pragma once

#include <string>

#include "harness/record/analysis/spread.h"
#include "harness/record/analysis/workload_cells.h"

namespace harness {

/// A series compared with a baseline, over the seeds that both have.
struct PairedSpread {
  Spread difference;  ///< spread of series - baseline
  Spread ratio;       ///< spread of series / baseline, over the seeds in which the baseline is not 0
};
PairedSpread paired_over_seeds(const SeriesCells& series, const SeriesCells& baseline,
                               const std::string& metric);

/// Returns the spread of the metric over the seeds of a series; all kNoValue if the column does not exist.
Spread spread_over_seeds(const SeriesCells& series, const std::string& metric);

}  // namespace harness
