// `--dry-run`: what an experiment would run.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// A table of the cells: batch size x workers of each module, capacity, offered rate, expected requests.
std::string dry_run_table(const std::vector<PreparedCell>& cells);

/// A line for each layout that the emulated cells have on so many ranks; "" without such cells.
std::string layout_text(const std::vector<PreparedCell>& cells, int ranks);

/// "540 cells, 346 M requests", and how long emulated ones take.
std::string dry_run_total(const std::vector<PreparedCell>& cells);

}  // namespace harness
