// Whether the queue still grew while a run was measured: then its drop rate and its latencies depend on how
// long it was, and say nothing of a longer one.
#pragma once

#include "harness/record/run/summary.h"

namespace harness {

/// The straight line through the means of the queue in 20 equal parts of the measured part (batch means).
struct QueueTrend {
  double growth = kNoValue;  ///< slope of the number of waiting visits, in visits/s
  double low = kNoValue;     ///< ends of its 95 % confidence interval
  double high = kNoValue;
};

/// Returns the trend of RunRecord::queue_samples by least squares; without samples, or a request, no value.
/// The interval is Student's with the standard error and the degrees of freedom of n (1 - r) / (1 + r)
/// independent values instead of n, r being the correlation of the residuals with the next ones (at least 0):
/// Santer et al., "Statistical significance of trends", Journal of Geophysical Research 105 (D6), 2000.
QueueTrend queue_trend(const RunRecord& record);

/// Returns "growing" if the growth is above 0 with 95 % and large: by Little's law requests wait longer at
/// the end of the measured part than at its start by a tenth of the SLO or more. Returns "steady" if the
/// growth is not large even by the upper end of its interval, else "unclear": the run is too short to tell.
/// Returns
/// "" where there is no trend.
const char* name_of(const QueueTrend& trend, const RunRecord& record);

}  // namespace harness
