// A cell's rows as a timeline: a trace of TrackEvents for Perfetto's page (docs/commands.md, Timelines).
//
// The cell's track contains for each module a track with its waiting visits as a counter, its drops, its
// plans and its workers with their batches; workers that serve several modules have a place of their own.
// Late requests have a track of their own. A flow leads from batch to batch of a request.
#pragma once

#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/views/flows.h"
#include "harness/views/preempted_batches.h"
#include "harness/views/time_span.h"

namespace harness {

/// The number of a batch's requests that are named, the first ones.
inline constexpr std::size_t kMaxRequestsNamed = 64;

struct Timeline {
  const CellContents& cell;               ///< cell with its rows
  TimeSpan span;                          ///< shown time: batches that overlap it, and what happened in it
  const Pipeline* pipeline = nullptr;     ///< pipeline as in Flows
  std::vector<PreemptedBatch> preempted;  ///< batches that the rows do not know
};

/// The numbers of what is in the file.
struct TimelineCounts {
  std::uint64_t batches = 0;  ///< number of batches that ended, or were lost with their worker
  std::uint64_t visits = 0;   ///< number of visits in these
  std::uint64_t preempted = 0;
  std::uint64_t drops = 0;
  std::uint64_t late = 0;
  std::uint64_t bytes = 0;
};

/// Writes the file at `path`. Throws InputError if rows name a module that the cell does not have,
/// EnvironmentError as FileWriter does.
TimelineCounts write_timeline(const std::string& path, const Timeline& timeline);

}  // namespace harness
