// The options of a run.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/running/experiment_part.h"
#include "harness/experiment/running/run_console.h"

namespace harness {

/// The options of the command line.
struct RunOptions {
  std::string file;  ///< file of an experiment or a suite
  std::string text;  ///< unless empty, text of an experiment, used instead of reading `file`
  std::string folder = "results-out";
  std::vector<std::string> overrides;  ///< --set KEY=VALUE
  bool dry_run = false;
  bool json = false;  ///< true, with dry_run: prints JSON (docs/commands.md)
  bool fresh = false;
  bool again = false;  ///< --rerun-failed: cells that were skipped or invalid do not count as finished
  bool allow_skipped = false;
  ExperimentPart part;  ///< part of the cells that is run
  ProgressForm progress = ProgressForm::kText;
  bool says_end = true;  ///< true: prints lines on standard output at the end of an experiment and of a suite
};

}  // namespace harness
