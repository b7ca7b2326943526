// Metrics of the requests of a run: the shares in time over spans of windows, and the accuracy.
#pragma once

#include <cstddef>
#include <span>

#include "harness/record/run/run_record.h"
#include "harness/record/run/window_counts.h"

namespace harness {

/// Returns the least share of requests in time (PARD figure 2a): for each span of `length` consecutive
/// windows, the share of the requests sent in it that ended in time. A span in which nothing was sent does
/// not count; a run shorter than `length` is one span. Returns kNoValue if nothing was sent at all.
double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length);

/// Returns the mean of the completed requests' accuracies: the system accuracy of Loki (section 6.1). Returns
/// kNoValue if no completed request has an accuracy.
double mean_accuracy(const RunRecord& record);

/// Returns, of the requests sent in the last `seconds` of the load (whole windows only), the share that was
/// not in time.
double missed_in_the_end(const RunRecord& record, double seconds);
/// Returns the end, in s, of the last span of ten seconds in which more than 1 % of the requests sent were
/// not in time: after it P99 meets the SLO for good (InferLine, Fig. 14). Returns 0 if there is no such span.
double missed_until_s(const RunRecord& record);

}  // namespace harness
