// Metrics that need more than a division; `summarise` (summary.h) uses them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "harness/record/run/run_record.h"

namespace harness {

/// Returns the least share of requests in time (PARD figure 2a): for each span of `length` consecutive
/// windows, the share of the requests sent in it that ended in time. A span in which nothing was sent does
/// not count; a run shorter than `length` is one span. Returns kNoValue if nothing was sent at all.
double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length);

/// The requests of the overloaded windows. A window is overloaded if more requests were sent in it than the
/// capacity at its start could serve.
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
/// goodput). Each window counts the requests sent in it, but at most as many as the capacity at its start
/// could serve.
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
/// Returns the totals of the whole run except the warm-up.
PathTotals path_totals(const RunRecord& record);

/// Returns, of the requests sent in the last `seconds` of the load (whole windows only), the share that was
/// not in time.
double missed_in_the_end(const RunRecord& record, double seconds);
/// Returns the end, in s, of the last span of ten seconds in which more than 1 % of the requests sent were
/// not in time: after it P99 meets the SLO for good (InferLine, Fig. 14). Returns 0 if there is no such span.
double missed_until_s(const RunRecord& record);

/// Returns the devices as "8 x NVIDIA H200, driver 580.95.05", kinds and drivers in the order of the ranks;
/// "" if no rank has devices.
std::string devices_text(std::span<const RankTotals> ranks);

}  // namespace harness
