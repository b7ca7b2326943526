// `--dry-run`: what an experiment would run.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/cell_factory.h"

namespace harness {

/// A table of the cells: batch size x workers of each module, capacity, offered rate, expected requests.
std::string dry_run_table(const std::vector<PreparedCell>& cells);

/// "540 cells, 346 M requests".
std::string dry_run_total(const std::vector<PreparedCell>& cells);

}  // namespace harness
