// A part of a run's time, and what a timeline shows of it.
#pragma once

#include "harness/core/types.h"
#include "harness/record/run/request_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// A part of a run's time: from its first nanosecond to the one before `to_ns`.
struct TimeSpan {
  TimeNs from_ns = 0;
  TimeNs to_ns = kNever;

  bool contains(TimeNs at) const { return at >= from_ns && at < to_ns; }
  /// Returns true if something that lasts from `begin` to `end` is there for a part of it; what takes no time
  /// is at `begin`.
  bool overlaps(TimeNs begin, TimeNs end) const {
    return begin < to_ns && (end > from_ns || begin >= from_ns);
  }
};

/// True for a visit that a timeline shows as a drop; others are in the batch that they ran in.
inline bool was_dropped(const VisitRow& row) { return row.outcome == VisitOutcome::kDropped; }
/// True if the batch or the drop of the visit is in the span.
inline bool is_shown(const VisitRow& row, const TimeSpan& span) {
  return row.ran() ? span.overlaps(row.started_ns, row.ended_ns)
                   : was_dropped(row) && span.contains(row.ended_ns);
}
/// True if the request ended late, in the span.
inline bool is_shown_late(const RequestRow& row, const TimeSpan& span) {
  return row.outcome == Outcome::kLate && span.contains(row.end_ns);
}

}  // namespace harness
