// Totals of the paths that requests took through a task tree.
#pragma once

#include <cstdint>

#include "harness/record/run/run_record.h"

namespace harness {

/// The outcomes of the paths of the requests sent, and the sum of the served paths' accuracies.
struct PathTotals {
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t lost = 0;
  double accuracy_sum = 0;
};
/// Returns the totals of the whole run except the warm-up.
PathTotals path_totals(const RunRecord& record);

}  // namespace harness
