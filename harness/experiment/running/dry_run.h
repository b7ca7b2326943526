// What an experiment would run (`--dry-run`).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/text/json.h"

namespace harness {

/// Returns a table of the cells: batch size x workers of each module, capacity, offered rate, expected
/// requests.
std::string dry_run_table(const std::vector<PreparedCell>& cells);

/// Returns a line for each layout that the live cells have on so many ranks, and for each kind of cluster
/// with servers; empty if there are no such cells.
std::set<std::string> layout_lines(const std::vector<PreparedCell>& cells, int ranks);
/// Returns the same lines as one text.
std::string layout_text(const std::vector<PreparedCell>& cells, int ranks);

/// Returns the cell and its plan as an object (docs/commands.md).
Json cell_json(const PreparedCell& cell);

/// Returns a line for each plan of simulated cells in which the shared planner would choose other batch sizes
/// if execution times were 1 % longer or shorter.
std::vector<std::string> size_notes(CellFactory& factory, const std::vector<PreparedCell>& cells);

}  // namespace harness
