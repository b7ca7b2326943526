// Runs an experiment, or each of a suite's in turn: from its file to STEM.h5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/random.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/running/progress.h"

namespace harness {

// A suite is a file that names experiments to be run in turn.

/// The contents of a suite's file.
struct Suite {
  std::string name;                  ///< name that it gives itself, else the file's stem
  std::vector<NamedAt> experiments;  ///< experiments as written, in order
};

/// Returns the suite in `text`; nothing if it has no key `suite` and so is an experiment. Throws InputError.
std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text);

/// The experiments that a file given on the command line means.
struct ExperimentFiles {
  bool is_suite = false;
  std::string name;
  std::vector<std::string> files;  ///< the file itself, or the files of the suite's experiments
};

/// Reads a file as far as needed to tell. Throws InputError if it is not TOML, or if a file of a suite is
/// missing, is a suite too, or has the stem (and so the results file) of another.
ExperimentFiles experiment_files(const std::string& path);

/// One of equally large parts of an experiment's cells, for jobs that share nothing (--part).
struct ExperimentPart {
  std::uint32_t number = 1;  ///< number of the part, from 1 to `of`
  std::uint32_t of = 1;

  /// Returns true if the cell is in this part. Of every `of` cells in a row each part gets one, at a random
  /// place each time: cells of similar cost often come at equal distances.
  bool has(std::uint32_t cell) const { return (cell % of + mix64(cell / of) % of) % of == number - 1; }
  bool is_whole() const { return of == 1; }
  /// Returns "3/100".
  std::string text() const { return std::to_string(number) + "/" + std::to_string(of); }
};

/// Reads a part such as "3/100". Throws InputError.
ExperimentPart parse_part(const std::string& text);

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
  bool says_end = true;  ///< true: prints a line on standard output at the end
};

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
