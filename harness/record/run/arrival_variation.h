// The variation of the arrivals along a pipeline.
#pragma once

#include "harness/record/run/gap_totals.h"
#include "harness/record/run/no_value.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Returns the coefficient of variation of the gaps: standard deviation / mean (QUART, section 5.2). Returns
/// kNoValue if there are fewer than two gaps or all are 0.
double variation_of(const GapTotals& gaps);
/// The modules' coefficients of variation, compared. All are kNoValue if some module of the pipeline has no
/// coefficient.
struct ArrivalVariation {
  double first = kNoValue;  ///< coefficient of the pipeline's first module
  double last = kNoValue;   ///< coefficient of its last module
  double max_over_min = kNoValue;
  double rising_share = kNoValue;  ///< share of the steps from a module to the next at which it rises
};
/// Compares the modules of a run; it needs at least two.
ArrivalVariation arrival_variation(const RunRecord& record);

}  // namespace harness
