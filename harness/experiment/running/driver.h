// Runs an experiment, or each of a suite's in turn: from its file to STEM.h5.
#pragma once

#include "harness/experiment/running/run_options.h"
#include "harness/ranks/cell_distribution.h"

namespace harness {

/// Runs, resumes or (dry_run) prints the experiment, or every experiment of the suite with the same options,
/// on all MPI ranks if there are several. Returns the exit code: 0, or 1 for skipped or invalid cells. A
/// failure on any rank is thrown on rank 0, and the others return 0. Throws InputError before anything is
/// written. Throws EnvironmentError with finished cells kept, also if interrupted by SIGINT, SIGTERM or
/// SIGHUP, which it handles for the rest of the process; a second signal kills.
int run_experiment(const RunOptions& options);

/// Does the same on ranks that the caller has, for one of several runs in a process. Throws RankStopped on
/// ranks other than 0.
int run_experiment_on(const RunOptions& options, CellDistribution& ranks);

}  // namespace harness
