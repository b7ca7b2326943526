// The arrows of a timeline: they show the batches that a request went through, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/views/time_span.h"

namespace harness {

/// The flows of a cell. A request that meets no fork has one. At a fork each further branch begins a new one;
/// if branches join, the flows of all but one end.
class Flows {
 public:
  /// A mark on a thing that belongs to a flow. A flow leads from thing to thing in order of time.
  struct Mark {
    std::uint64_t id = 0;  ///< request x 65,536 + number of the flow, from 1
    bool is_last = false;
  };

  /// Arrows lead from each visit to the visits that it caused, and from the last visit of a late request to
  /// the instant of its end; what is not shown in `span` has no arrows. `pipeline`, which is no task tree,
  /// tells with `seed` which branches join; without it a join has only the arrow from the visit that the rows
  /// name, the last to come.
  Flows(const CellContents& cell, const TimeSpan& span, const Pipeline* pipeline, std::uint64_t seed);

  /// Returns the marks of a visit or request by the index of its row in `cell`.
  std::span<const Mark> of_visit(std::size_t row) const { return of(row); }
  std::span<const Mark> of_request(std::size_t row) const { return of(first_request_ + row); }
  /// Returns true if the request of the visit ended in time.
  bool in_time(std::size_t visit_row) const { return in_time_[visit_row]; }

 private:
  std::span<const Mark> of(std::size_t thing) const {
    return {marks_.data() + begins_[thing], marks_.data() + begins_[thing + 1]};
  }

  std::size_t first_request_ = 0;      ///< things are the visits, then the requests
  std::vector<std::uint32_t> begins_;  ///< first mark of each thing; its marks end at the next one's begin
  std::vector<Mark> marks_;
  std::vector<bool> in_time_;
};

}  // namespace harness
