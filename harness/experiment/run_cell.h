// Runs one cell and writes its file.
#pragma once

#include <functional>
#include <string>

#include "harness/experiment/bounds.h"
#include "harness/experiment/cell_factory.h"
#include "harness/record/summary.h"

namespace harness {

/// Simulates the cell (or records it as skipped) and writes `path`, which appears complete or not at all.
/// `bounds` remembers those of the cells before. `progress` as in RunSpec; it may throw to end the run.
SummaryRow run_cell(CellFactory& factory, BoundCache& bounds, const Cell& cell, const PreparedCell& prepared,
                    bool rows, const std::string& path,
                    const std::function<void(TimeNs, std::uint64_t)>& progress);

}  // namespace harness
