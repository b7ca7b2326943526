// Repeats the decisions of recorded runs, and finds the first one that differs.
#pragma once

#include <string>

namespace harness {

/// What `harness replay` prints.
struct ReplayVerdict {
  std::string text;
  bool differs = false;
};

/// Makes the scheduler of each recorded queue domain anew, feeds it what the run's had got, and compares what
/// it decides. Relative paths of the experiment start at `folder`. Throws InputError: no cell holds a replay,
/// this build does not know the system, or the cell's pipeline or profiles have changed.
ReplayVerdict replay_results(const std::string& path, const std::string& folder);

/// Compares the cells of two results files, paired by what they are: what reached each queue domain, then
/// what was decided; where one of the two has no replay, their fingerprints, then their visits. Throws
/// InputError: no two cells are the same.
ReplayVerdict compare_replays(const std::string& before, const std::string& after);

}  // namespace harness
