// Repeats the decisions of recorded runs, and finds the first one that differs.
#pragma once

#include <string>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"

namespace harness {

/// The output of `harness replay`.
struct ReplayVerdict {
  std::string text;
  std::string json;  ///< the same as a JSON object (docs/commands.md)
  bool differs = false;
};

/// Makes the scheduler of each recorded queue again, feeds it with what the run's scheduler received, and
/// compares its decisions. Relative paths of the experiment start at `folder`. Throws InputError if no cell
/// holds a replay, if this build does not know the system, or if the cell's pipeline or profiles have
/// changed.
ReplayVerdict replay_results(const std::string& path, const std::string& folder);

/// Compares the cells of two results files, paired by their identities: first what reached each queue, then
/// the decisions; if one of the two has no replay, their fingerprints, then their visits. Throws InputError
/// if no two cells are the same.
ReplayVerdict compare_replays(const std::string& before, const std::string& after);

}  // namespace harness
