// The arrows of a timeline: they show the batches that a request went through, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/record/hdf5/results_file.h"

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

// A visit is one thing in a timeline: the batch that it ran in, or its drop.

inline bool was_dropped(const VisitRow& row) { return row.outcome == VisitOutcome::kDropped; }
inline bool is_shown(const VisitRow& row, const TimeSpan& span) {
  return row.ran() ? span.overlaps(row.started_ns, row.ended_ns)
                   : was_dropped(row) && span.contains(row.ended_ns);
}
inline bool is_shown_late(const RequestRow& row, const TimeSpan& span) {
  return row.outcome == Outcome::kLate && span.contains(row.end_ns);
}

/// A mark on a thing that belongs to a flow. A flow leads from thing to thing in order of time.
struct FlowMark {
  std::uint64_t id = 0;  ///< request x 65,536 + number of the flow, from 1
  bool is_last = false;
};

/// The flows of a cell. A request that meets no fork has one. At a fork each further branch begins a new one;
/// if branches join, the flows of all but one end.
class Flows {
 public:
  /// Arrows lead from each visit to the visits that it caused, and from the last visit of a late request to
  /// the instant of its end; what is not shown in `span` has no arrows. `pipeline`, which is no task tree,
  /// tells with `seed` which branches join; without it a join has only the arrow from the visit that the rows
  /// name, the last to come.
  Flows(const CellContents& cell, const TimeSpan& span, const Pipeline* pipeline, std::uint64_t seed);

  /// Returns the marks of a visit or request by the index of its row in `cell`.
  std::span<const FlowMark> of_visit(std::size_t row) const { return of(row); }
  std::span<const FlowMark> of_request(std::size_t row) const { return of(first_request_ + row); }
  /// Returns true if the request of the visit ended in time.
  bool in_time(std::size_t visit_row) const { return in_time_[visit_row]; }

 private:
  std::span<const FlowMark> of(std::size_t thing) const {
    return {marks_.data() + begins_[thing], marks_.data() + begins_[thing + 1]};
  }

  std::size_t first_request_ = 0;      ///< things are the visits, then the requests
  std::vector<std::uint32_t> begins_;  ///< first mark of each thing; its marks end at the next one's begin
  std::vector<FlowMark> marks_;
  std::vector<bool> in_time_;
};

}  // namespace harness
