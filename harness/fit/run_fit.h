// `harness fit`: finds the reading of what a paper leaves open that agrees best with its claims.
#pragma once

#include <string>

#include "harness/experiment/running/run_console.h"

namespace harness {

struct FitRun {
  std::string file;
  std::string folder = "results-out";
  bool dry_run = false;
  bool fresh = false;
  ProgressForm progress = ProgressForm::kText;
};

/// Tries the settings, on all MPI ranks if there are several: a space-filling design, a descent from its best
/// points, then the best and the standard setting once more on other seeds and workloads. The experiments and
/// their results go into FOLDER/NAME.fit, so that the same command finishes what was interrupted;
/// FOLDER/NAME.h5 has the points, their settings and verdicts. Prints a summary. Returns the exit code.
/// Throws InputError before anything is written, EnvironmentError with finished cells kept.
int run_fit(const FitRun& options);

}  // namespace harness
