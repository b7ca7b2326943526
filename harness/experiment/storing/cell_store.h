// The files of one experiment in its output folder: STEM.h5, and STEM.cells/ with a file per finished cell
// until the experiment is complete.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/hdf5/results_file.h"

namespace harness {

// What this program was built from.

/// The commit, or "unknown" outside a clone, and whether tracked files differed from it.
extern const char* const kGitCommit;
extern const bool kGitDirty;

/// "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, MPI 3.1 ...".
std::string version_text();
/// Processor and number of cores.
std::string machine_text();
/// Identifies the program: a hash of its own file and of the module of its devices, where there is one. Two
/// builds from the same sources, compiler and libraries agree.
std::string build_id();

/// What a finished cell must have been made from to be used again.
struct ExpectedCell {
  std::uint32_t index = 0;
  std::string input_hash;
};

/// A finished cell of other settings, files or another build.
struct ForeignCell {
  std::string path;   ///< of the file that holds it
  CellIdentity cell;  ///< with its effective settings
};

/// Used by rank 0; other ranks only ask for cell_path(). Every file appears under its name complete or not at
/// all.
class CellStore {
 public:
  CellStore(const std::string& folder, const std::string& stem);
  ~CellStore();
  CellStore(const CellStore&) = delete;
  CellStore& operator=(const CellStore&) = delete;

  const std::string& results_path() const { return results_; }
  std::string cell_path(const std::string& input_hash) const;
  /// Of what is left of a cell that ended the program.
  std::string mark_path(const std::string& input_hash) const;
  /// Of what the run says of itself (running/run_status.h).
  std::string status_path() const;

  /// Looks at what is there, without writing; STEM.h5 counts before STEM.cells, but for cells that were
  /// skipped or are invalid there: those in STEM.cells were run after them. Returns a cell that is none of
  /// the expected ones, if there is any. Throws InputError for files that are not ours.
  std::optional<ForeignCell> inspect(const std::vector<ExpectedCell>& expected);
  /// The same for a dry run: where inspect() throws, nothing counts as finished.
  void look(const std::vector<ExpectedCell>& expected);
  /// From here on cells that were skipped or are invalid do not count as finished. Their files stay until
  /// others take their places. After inspect().
  void forget_failed();

  /// Whether STEM.h5 holds each of these cells.
  bool complete(std::span<const ExpectedCell> cells) const;
  /// Whether there is a folder STEM.cells.
  bool has_cells_folder() const;
  /// Whether the cell with that hash is finished.
  bool has(const std::string& input_hash) const { return found_.count(input_hash) > 0; }

  /// From here on the cell with that hash counts as finished: its file has been written.
  void note_finished(const std::string& input_hash);
  /// The rows of finished cells, in their order.
  std::vector<SummaryRow> rows_of(std::span<const ExpectedCell> cells) const;

  /// Makes the folders, takes the experiment's lock and tries whether files can be written. Throws
  /// EnvironmentError and leaves no new folder behind.
  void open();
  /// Throws InputError when STEM.h5 is there and is no results file: --fresh would not replace what harness
  /// did not write.
  void check_replaceable() const;
  /// The indices of the cells that are there, assembled or not; after check_replaceable().
  std::vector<std::uint32_t> cells_there() const;
  /// From here on nothing of what is there counts as finished (--fresh); after open(). It stays until new
  /// results take its place: STEM.h5 as it is, cells in the folder before/ of STEM.cells.
  void start_over();
  /// From here on cells that ended the program are run once more; after open().
  void forget_crashes();
  /// Keeps what Provenance says of the experiment beside the cells, for collect(); after open().
  void keep_experiment(const std::string& toml, const std::string& inputs, std::uint64_t cells);
  /// Puts STEM.h5 together from these cells, then removes STEM.cells. What `before_each` throws ends
  /// it with both as they were.
  void assemble(std::span<const ExpectedCell> expected, const Provenance& provenance,
                const std::function<void()>& before_each);
  /// Throws InputError when a run with --fresh is unfinished, which will replace STEM.h5.
  void refuse_unfinished_fresh() const;
  /// Puts STEM.h5 together from what it holds and the cells of STEM.cells, which stay. Returns how many cells
  /// it holds then. Throws InputError, before it writes anything, when one of them cannot be read or the two
  /// hold different cells of one index; and as open() does, which it calls.
  std::size_t collect(const Provenance& provenance);
  /// Removes what harness wrote in STEM.cells, and the folder if nothing else is in it, when nothing but
  /// STEM.h5 is needed.
  void remove_cells();

 private:
  void remove_made_folders();

  std::string results_;
  std::string cells_;
  std::map<std::string, std::string> found_;  ///< input hash -> file that holds the cell
  std::vector<std::string> made_;             ///< folders that open() made
  int lock_ = -1;
};

/// Adds the cells that are in the folder STEM.cells to STEM.h5 beside it; returns how many it holds then.
/// Throws InputError when `folder` is no such folder or holds none, EnvironmentError when a run writes there.
std::size_t collect_cells(const std::string& folder, const Provenance& provenance);

/// Provenance of this build and machine; the experiment's parts are left empty.
Provenance build_provenance();

}  // namespace harness
