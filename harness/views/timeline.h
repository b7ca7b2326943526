// A cell's rows as a timeline: a trace of TrackEvents for Perfetto's page (docs/commands.md, Timelines).
//
// Tracks, under one for the cell: for each module its waiting visits as a counter, its drops, its plans and
// its workers with their batches; workers that serve several modules stand apart. Late requests have a track
// of their own. A flow leads from batch to batch of a request.
#pragma once

#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/views/flows.h"
#include "harness/views/preempted_batches.h"

namespace harness {

/// Of a batch's requests the first so many are named.
inline constexpr std::size_t kMaxRequestsNamed = 64;

struct Timeline {
  const CellContents& cell;               ///< with its rows
  TimeSpan span;                          ///< what is shown: batches that overlap it, what happened in it
  const Pipeline* pipeline = nullptr;     ///< as of Flows
  std::vector<PreemptedBatch> preempted;  ///< beside those that the rows know
};

/// What is in the file.
struct TimelineCounts {
  std::uint64_t batches = 0;  ///< that ended, or were lost with their worker
  std::uint64_t visits = 0;   ///< in these
  std::uint64_t preempted = 0;
  std::uint64_t drops = 0;
  std::uint64_t late = 0;
  std::uint64_t bytes = 0;
};

/// Writes the file at `path`. Throws InputError when rows name a module that the cell does not have,
/// EnvironmentError as FileWriter.
TimelineCounts write_timeline(const std::string& path, const Timeline& timeline);

}  // namespace harness
