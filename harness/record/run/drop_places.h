// The places along a pipeline at which requests are lost.
#pragma once

#include <cstdint>

#include "harness/record/run/run_record.h"

namespace harness {

/// The numbers of dropped and late requests by the place at which they were lost: dropped ones at the module
/// that dropped them, late ones at the last module, at which they ended (PARD figures 2c and 11b).
struct DropPlaces {
  std::uint64_t all = 0;
  std::uint64_t last = 0;  ///< requests lost at modules without a successor
  /// Requests lost at modules whose depth is more than half of the pipeline's: 2, 3 of 3 and 3, 4, 5 of 5.
  std::uint64_t latter_half = 0;
  std::uint64_t first_two = 0;  ///< requests lost at depths 1 and 2
};
/// Counts them. With Answers::kPartial it counts dropped visits in the place of dropped requests.
DropPlaces drop_places(const RunRecord& record);

}  // namespace harness
