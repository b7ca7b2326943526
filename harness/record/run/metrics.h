// Metrics that need more than a division; `summarise` (summary.h) uses them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "harness/record/run/run_record.h"

namespace harness {

/// Returns the minimum, over all spans of `length` consecutive windows, of the share of the requests sent in
/// the span that ended in time (PARD figure 2a). Spans in which nothing was sent do not count; a run shorter
/// than `length` is one span. Returns kNoValue if nothing was sent at all.
double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length);

/// The requests of the overloaded windows: more was sent in them than the capacity at their start could
/// serve.
struct OverloadCounts {
  double seconds = 0;  ///< length of these windows together; the last window of a run may be shorter
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
};

/// Returns the sum over the overloaded windows; `capacity_at` gives the capacity at a time, in requests/s.
OverloadCounts overload_counts(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at);

/// Returns the number of requests that a system without any loss would complete (PARD section 5.4, optimal
/// goodput): the sum over the windows of the requests sent, or of as many as the capacity at the window's
/// start could serve if these are fewer.
double optimal_requests(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at);

/// Returns the mean of the completed requests' accuracies: the system accuracy of Loki (section 6.1). Returns
/// kNoValue if no completed request has an accuracy.
double mean_accuracy(const RunRecord& record);

/// The outcomes of the paths of the requests sent, and the sum of the served paths' accuracies.
struct PathTotals {
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t lost = 0;
  double accuracy_sum = 0;
};
/// Returns them for the whole run, but for the warm-up.
PathTotals path_totals(const RunRecord& record);

/// Returns the share of requests not in time among the requests sent in the last windows of the load, which
/// have `seconds` in all.
double missed_in_the_end(const RunRecord& record, double seconds);
/// Returns the end, in s, of the last ten seconds in which more than 1 % of the requests sent were not in
/// time: from then on P99 meets the SLO for good (InferLine, Fig. 14). Returns 0 if there are no such
/// seconds.
double missed_until_s(const RunRecord& record);

/// Returns the devices as "8 x NVIDIA H200, driver 580.95.05", kinds and drivers in the order of the ranks;
/// "" if no rank has devices.
std::string devices_text(std::span<const RankTotals> ranks);

}  // namespace harness
