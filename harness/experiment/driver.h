// Runs an experiment, or each of a suite's in turn: from its file to STEM.h5.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// What the command line says.
struct RunOptions {
  std::string file;  ///< an experiment's or a suite's
  std::string folder = "results-out";
  std::vector<std::string> overrides;  ///< --set KEY=VALUE
  bool dry_run = false;
  bool fresh = false;
  bool again = false;  ///< cells that were skipped or came out invalid do not count as finished
  bool allow_skipped = false;
  bool quiet = false;
};

/// Runs, resumes or (dry_run) prints the experiment, or every experiment of the suite with the same options,
/// on all MPI ranks if there are several. Returns the exit code: 0, 1 (skipped or invalid cells). What fails
/// on any rank is thrown on rank 0, and the others return 0. Throws InputError before anything is written,
/// EnvironmentError (also when interrupted by SIGINT, SIGTERM or SIGHUP, which it takes for the rest of the
/// process; a second one kills) with finished cells kept.
int run_experiment(const RunOptions& options);

}  // namespace harness
