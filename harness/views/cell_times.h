// The least times that a cell's requests can take by its profiles, and the answer of its offline schedule:
// `harness explain` compares a request's life with both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/hdf5/cell_contents.h"
#include "harness/views/least_times.h"
#include "harness/views/offline_answer.h"

namespace harness {

/// The least times and the offline answer for a cell of a results file, made again from its settings.
struct CellTimes {
  std::optional<LeastTimes> least;
  OfflineAnswer offline;
  bool may_be_shorter = false;  ///< true: batches vary (jitter, live runs), so times may be below the least
  std::string why_none;         ///< reason why there are no least times, and so no schedule
};

/// Returns the times of a cell. Relative paths of the settings start at `folder`. If the cell cannot be made
/// again, because its pipeline, profiles or system are not here, says so in `why_none` and does not throw.
CellTimes cell_times(const std::string& path, const CellContents& cell, const std::string& folder,
                     const std::vector<std::uint64_t>& requests);

}  // namespace harness
