// Counts of the paths that requests took through a task tree.
#pragma once

#include <cstdint>

namespace harness {

/// The outcomes of the paths of some requests to a task tree; zeros if the pipeline is no task tree. A path
/// is served when it ends with a visit that causes no other. It is lost when one of its visits is dropped,
/// cancelled, unfinished, or not made because its request had ended; nobody knows what that visit would have
/// caused, so it counts as one path.
struct PathCounts {
  std::uint32_t in_time = 0;  ///< paths served by the request's deadline
  std::uint32_t late = 0;     ///< paths served after it
  std::uint32_t lost = 0;
  double accuracy_sum = 0;  ///< sum over the served paths of the product of the accuracies of their models

  PathCounts& operator+=(const PathCounts& other) {
    in_time += other.in_time;
    late += other.late;
    lost += other.lost;
    accuracy_sum += other.accuracy_sum;
    return *this;
  }
};

}  // namespace harness
