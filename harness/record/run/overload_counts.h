// The requests sent, compared with the capacity at the time.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/core/types.h"
#include "harness/record/run/run_record.h"

namespace harness {

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

}  // namespace harness
