// How much an experiment would run (`--dry-run`).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/experiment/cells/prepared_cell.h"

namespace harness {

/// The amounts of all cells together. Skipped cells have none.
struct DryRunTotal {
  explicit DryRunTotal(const std::vector<PreparedCell>& cells);

  std::size_t skipped = 0;  ///< number of skipped cells
  double requests = 0;
  double live_s = 0;  ///< duration of the live cells
};

/// Returns "540 cells, 346 M requests", and how long live ones take.
std::string dry_run_total(const std::vector<PreparedCell>& cells);

}  // namespace harness
