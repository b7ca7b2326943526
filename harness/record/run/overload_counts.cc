#include "harness/record/run/overload_counts.h"

#include <algorithm>
#include <cstddef>

namespace harness {
namespace {

/// Returns the length of the window that starts then; the last window of a run may be shorter than the
/// others.
double window_length_s(const RunRecord& record, TimeNs start) {
  return ns_to_s(std::min(record.window_ns, record.duration_ns - start));
}

}  // namespace

OverloadCounts overload_counts(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at) {
  OverloadCounts total;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    const WindowCounts& window = record.windows[i];
    const TimeNs start = static_cast<TimeNs>(i) * record.window_ns;
    const double length_s = window_length_s(record, start);
    if (length_s <= 0 || static_cast<double>(window.sent) <= capacity_at(start) * length_s) continue;
    total.seconds += length_s;
    total.sent += window.sent;
    total.in_time += window.in_time;
    total.late += window.late;
    total.dropped += window.dropped;
  }
  return total;
}

double optimal_requests(const RunRecord& record, const std::function<double(TimeNs)>& capacity_at) {
  double total = 0;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    const TimeNs start = static_cast<TimeNs>(i) * record.window_ns;
    const double length_s = window_length_s(record, start);
    total += std::min(static_cast<double>(record.windows[i].sent), capacity_at(start) * length_s);
  }
  return total;
}

}  // namespace harness
