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

// A suite: a file that names experiments to be run in turn.

/// A suite's file, read.
struct Suite {
  std::string name;                  ///< what it calls itself, else the file's stem
  std::vector<NamedAt> experiments;  ///< as written, in order
};

/// The suite in `text`; nothing when it has no key `suite`, and so is an experiment. Throws InputError.
std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text);

/// What a file given on the command line stands for.
struct ExperimentFiles {
  bool is_suite = false;
  std::string name;
  std::vector<std::string> files;  ///< the file itself, or those of the suite's experiments
};

/// Reads a file as far as needed to tell. Throws InputError: not TOML, a suite with a file that is missing,
/// is a suite too, or has the stem (and so the results file) of another.
ExperimentFiles experiment_files(const std::string& path);

/// One of equally large parts of an experiment's cells, for jobs that share nothing (--part).
struct ExperimentPart {
  std::uint32_t number = 1;  ///< from 1 to `of`
  std::uint32_t of = 1;

  /// Each part gets one of `of` cells in a row, each time another, by chance: what costs alike often comes at
  /// equal distances.
  bool has(std::uint32_t cell) const { return (cell % of + mix64(cell / of) % of) % of == number - 1; }
  bool is_whole() const { return of == 1; }
  /// "3/100".
  std::string text() const { return std::to_string(number) + "/" + std::to_string(of); }
};

/// Reads "3/100". Throws InputError.
ExperimentPart parse_part(const std::string& text);

/// What the command line says.
struct RunOptions {
  std::string file;  ///< an experiment's or a suite's
  std::string text;  ///< not empty: an experiment's, as if it stood in `file`, which is not read
  std::string folder = "results-out";
  std::vector<std::string> overrides;  ///< --set KEY=VALUE
  bool dry_run = false;
  bool json = false;  ///< with dry_run: as JSON (docs/commands.md)
  bool fresh = false;
  bool again = false;  ///< cells that were skipped or came out invalid do not count as finished
  bool allow_skipped = false;
  ExperimentPart part;  ///< the cells that are run
  ProgressForm progress = ProgressForm::kText;
  bool says_end = true;  ///< a line on standard output at the end
};

/// Runs, resumes or (dry_run) prints the experiment, or every experiment of the suite with the same options,
/// on all MPI ranks if there are several. Returns the exit code: 0, 1 (skipped or invalid cells). What fails
/// on any rank is thrown on rank 0, and the others return 0. Throws InputError before anything is written,
/// EnvironmentError (also when interrupted by SIGINT, SIGTERM or SIGHUP, which it takes for the rest of the
/// process; a second one kills) with finished cells kept.
int run_experiment(const RunOptions& options);

/// The same on ranks that the caller has, for one of several runs in a process. Throws RankStopped on ranks
/// other than 0.
int run_experiment_on(const RunOptions& options, CellDistribution& ranks);

}  // namespace harness
