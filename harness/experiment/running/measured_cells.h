// Live cells on devices beside simulations with the batch times that those devices had.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/fidelity.h"
#include "harness/record/analysis/text_table.h"

namespace harness {

/// What the batches of one size took, in the valid cells, relative to the profile.
struct BatchSlowdown {
  std::string pipeline;
  std::string module;
  int batch = 0;
  double profile_ms = 0;
  std::size_t batches = 0;
  double p10 = 0, p50 = 0, p90 = 0;  ///< of the values, that of rank ceil(q * batches)
  double mean = 0;                   ///< all their time / all the profile's
};

struct MeasuredCells {
  std::vector<LivePair> pairs;  ///< in the order of the file: each cell with runtime = "gpu"
  std::vector<BatchSlowdown>
      slowdowns;  ///< in the order of the pipelines' first cells, then modules, then sizes
};

/// Simulates each cell of the file with runtime = "gpu" once more, with the settings that it had,
/// but with the slowdown that each worker's batches had in that run
/// (engine/measured_slowdown.h): what still differs is not the devices' being faster or slower than their
/// profile. Relative paths of the experiment start at `folder`. Throws InputError: no such cell, one without
/// rows of its visits, or one whose pipeline or profiles have changed.
MeasuredCells simulate_with_measured_times(const std::string& path, const std::string& folder);

/// A row per pipeline, module and batch size.
TextTable slowdown_table(const std::vector<BatchSlowdown>& slowdowns);

}  // namespace harness
