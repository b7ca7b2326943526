// Live cells on devices beside simulations of devices that are as fast at every moment as those were.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/fidelity.h"
#include "harness/record/analysis/text_table.h"

namespace harness {

/// What the batches of one size took, in the valid cells, in units of what the profile says of them.
struct BatchPace {
  std::string pipeline;
  std::string module;
  int batch = 0;
  double profile_ms = 0;
  std::size_t batches = 0;
  double p10 = 0, p50 = 0, p90 = 0;  ///< of the values, that of rank ceil(q * batches)
  double mean = 0;                   ///< all their time / all the profile's
};

struct PacedCells {
  std::vector<LivePair> pairs;   ///< in the order of the file: each cell with runtime = "gpu"
  std::vector<BatchPace> paces;  ///< in the order of the pipelines' first cells, then modules, then sizes
};

/// Simulates each cell of the file with runtime = "gpu" once more, with the settings that it had,
/// but with batches that proceed by the pace that each worker's batches had in that run
/// (engine/device_pace.h): what still differs is not the devices' being faster or slower than their profile.
/// Relative paths of the experiment start at `folder`. Throws InputError: no such cell, one without rows of
/// its visits, or one whose pipeline or profiles have changed.
PacedCells simulate_paced(const std::string& path, const std::string& folder);

/// A row per pipeline, module and batch size.
TextTable pace_table(const std::vector<BatchPace>& paces);

}  // namespace harness
