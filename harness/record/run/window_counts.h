// Counts of the requests that were sent in a window of time, or in a minute.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/path_counts.h"

namespace harness {

/// The outcomes of the requests *sent* in one window (1 s); sent = in_time + late + dropped + unfinished.
struct WindowCounts {
  std::uint32_t sent = 0;
  std::uint32_t in_time = 0;
  std::uint32_t late = 0;
  std::uint32_t dropped = 0;
  double accuracy_sum = 0;  ///< sum over the completed requests; 0 if models have no accuracies
  PathCounts paths = {};    ///< paths of the requests sent, however those ended

  WindowCounts& operator+=(const WindowCounts& other) {
    sent += other.sent;
    in_time += other.in_time;
    late += other.late;
    dropped += other.dropped;
    accuracy_sum += other.accuracy_sum;
    paths += other.paths;
    return *this;
  }

  static void list(auto& row, auto&& column) {
    column("sent", row.sent);
    column("in_time", row.in_time);
    column("late", row.late);
    column("dropped", row.dropped);
    column("accuracy_sum", row.accuracy_sum);
    column("paths_in_time", row.paths.in_time);
    column("paths_late", row.paths.late);
    column("paths_lost", row.paths.lost);
    column("path_accuracy_sum", row.paths.accuracy_sum);
  }
};

/// Holds the outcomes of the requests that a cell sent in each whole minute of its measured part, or in the
/// whole part if that is shorter than a minute.
struct CellMinutes {
  std::uint32_t cell = 0;  ///< index of the cell
  std::vector<WindowCounts> minutes;
};

}  // namespace harness
