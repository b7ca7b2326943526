// Live cells on devices, compared with simulations that have the batch times of those devices.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/fidelity.h"
#include "harness/text/text_table.h"

namespace harness {

struct BatchSlowdown;

struct MeasuredCells {
  std::vector<LivePair> pairs;           ///< each cell with runtime = "gpu", in the order of the file
  std::vector<BatchSlowdown> slowdowns;  ///< ordered by pipelines' first cells, then modules, then sizes
};

/// The times of batches of one size in the valid cells, relative to the profile.
struct BatchSlowdown {
  std::string pipeline;
  std::string module;
  int batch = 0;
  double profile_ms = 0;
  std::size_t batches = 0;
  double p10 = 0, p50 = 0, p90 = 0;  ///< quantiles q of the slowdowns: the value of rank ceil(q * batches)
  double mean = 0;                   ///< time of all batches / time of all by the profile
};

/// Simulates each cell of the file with runtime = "gpu" once more, with the settings that it had, but with
/// the slowdown that each worker's batches had in that run (engine/measured_slowdown.h): the difference that
/// is left does not come from devices that are faster or slower than their profile. Relative paths of the
/// experiment start at `folder`. Throws InputError if there is no such cell, or one has no rows of its
/// visits, or its pipeline or profiles have changed.
MeasuredCells simulate_with_measured_times(const std::string& path, const std::string& folder);

/// Returns a table with a row per pipeline, module and batch size.
TextTable slowdown_table(const std::vector<BatchSlowdown>& slowdowns);

}  // namespace harness
