// Metrics that need more than a division; `summarise` (summary.h) is made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "harness/record/run_record.h"

namespace harness {

/// The least share of the requests sent in any `length` consecutive windows that ended in time (PARD figure
/// 2a). Spans in which nothing was sent do not count; a run shorter than `length` is one span. 1 when nothing
/// was sent at all.
double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length);

/// What happened in the windows in which more was sent than the capacity at their start could serve.
struct OverloadCounts {
  double seconds = 0;  ///< length of those windows; the last window of a run may be a short one
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
};

/// Sums the overloaded windows; `capacity_at` gives requests/s at a time.
OverloadCounts overload_counts(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at);

/// Busy time of all workers / time in which they could serve: from ready to removed, or to the end of the run
/// (of the load or of its last request, whichever is later, so that a backlog served after the load does not
/// exceed 1).
double gpu_utilisation(const RunRecord& record);

}  // namespace harness
