// The trend of the queue while a run was measured. If the queue still grew, the drop rate and the latencies
// depend on the length of the run, and tell nothing about a longer one.
#pragma once

#include "harness/record/run/no_value.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The trend of the queue: the straight line through its means in 10 equal parts of the measured part (batch
/// means).
struct QueueTrend {
  double growth = kNoValue;  ///< slope of the number of waiting visits, in visits/s
  double low = kNoValue;     ///< ends of its 95 % confidence interval
  double high = kNoValue;
  double rise = kNoValue;  ///< visits by which the last of the 10 means exceeds the first
  double peak = kNoValue;  ///< visits by which the largest of them exceeds the first
};

/// Returns the trend of RunRecord::queue_samples by least squares; all kNoValue without samples or without a
/// request. The interval takes the means as independent (Student's t with 8 degrees of freedom): it is too
/// narrow for a queue that keeps its length for a tenth of the run.
QueueTrend queue_trend(const RunRecord& record);

/// Returns "growing" if the growth is above 0 with 95 % confidence and large: by Little's law requests wait
/// longer at the end of the measured part than at its start by a tenth of the SLO or more, both by the line
/// and by `rise`, and the queue has not lost half of its peak by then, as it does under a load that rises and
/// falls. Returns "steady" if the growth is not large even by the upper end of its interval, else "unclear":
/// the run is too short, or its load varies too much. Returns "" if there is no trend.
const char* name_of(const QueueTrend& trend, const RunRecord& record);

}  // namespace harness
