// Metrics that need more than a division; `summarise` (summary.h) is made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "harness/record/run/run_record.h"

namespace harness {

/// The least share of the requests sent in any `length` consecutive windows that ended in time (PARD figure
/// 2a). Spans in which nothing was sent do not count; a run shorter than `length` is one span. kNoValue when
/// nothing was sent at all.
double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length);

/// What happened in the windows in which more was sent than a capacity at their start could serve.
struct OverloadCounts {
  double seconds = 0;  ///< length of those windows; the last window of a run may be a short one
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
};

/// Sums the overloaded windows; `capacity_at` gives requests/s at a time.
OverloadCounts overload_counts(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at);

/// Sum over the windows of the least of the requests sent and those that the capacity at the window's start
/// could serve: what a system without any loss would complete (PARD section 5.4, optimal goodput).
double optimal_requests(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at);

/// Mean over the completed requests of their accuracies: the system accuracy of Loki (section 6.1). kNoValue
/// where none has one.
double mean_accuracy(const RunRecord& record);

/// What became of the paths of the requests sent, and the sum of the served ones' accuracies.
struct PathTotals {
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t lost = 0;
  double accuracy_sum = 0;
};
PathTotals path_totals(const RunRecord& record);

/// Of the requests sent in the last whole windows of the load, `seconds` in all: the share not in time.
double missed_in_the_end(const RunRecord& record, double seconds);
/// The end of the last ten seconds in which more than 1 % of the requests sent were not in time, in s
/// (InferLine, Fig. 14: until P99 meets the SLO for good); 0: there are none.
double missed_until_s(const RunRecord& record);

/// "8 x NVIDIA H200, driver 580.95.05", kinds and drivers in the order of the ranks; "" when no rank has
/// devices.
std::string devices_text(std::span<const RankTotals> ranks);

}  // namespace harness
