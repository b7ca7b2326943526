// The files of one experiment in its output folder: STEM.h5, and STEM.cells/ with a file per finished cell
// until the experiment is complete.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/hdf5/provenance.h"
#include "harness/record/run/cell_identity.h"
#include "harness/record/run/summary_row.h"

namespace harness {

struct ExpectedCell;
struct ForeignCell;

/// The files of finished cells, for rank 0; other ranks only ask for cell_path(). Every file appears under
/// its name complete or not at all.
class CellStore {
 public:
  CellStore(const std::string& folder, const std::string& stem);
  ~CellStore();
  CellStore(const CellStore&) = delete;
  CellStore& operator=(const CellStore&) = delete;

  const std::string& results_path() const { return results_; }
  std::string cell_path(const std::string& input_hash) const;
  /// Returns the path of the mark that a cell leaves if it ended the program.
  std::string mark_path(const std::string& input_hash) const;
  /// Returns the path of the run's report on itself (running/run_status.h).
  std::string status_path() const;

  /// Looks at the files that are there, without writing. STEM.h5 counts before STEM.cells, except for cells
  /// that were skipped or are invalid there: their files in STEM.cells are from later runs. Returns a cell
  /// that is not expected, if there is any. Throws InputError for files that harness did not write.
  std::optional<ForeignCell> inspect(const std::vector<ExpectedCell>& expected);
  /// Does the same for a dry run: if inspect() would throw, nothing counts as finished.
  void look(const std::vector<ExpectedCell>& expected);
  /// From this call on, cells that were skipped or are invalid do not count as finished. Their files stay
  /// until others take their places. Call it after inspect().
  void forget_failed();

  /// Returns true if STEM.h5 holds each of these cells.
  bool complete(std::span<const ExpectedCell> cells) const;
  /// Returns true if there is a folder STEM.cells.
  bool has_cells_folder() const;
  /// Returns true if the cell with that hash is finished.
  bool has(const std::string& input_hash) const { return found_.count(input_hash) > 0; }

  /// From this call on, the cell with that hash counts as finished: its file has been written.
  void note_finished(const std::string& input_hash);
  /// Returns the rows of finished cells, in their order.
  std::vector<SummaryRow> rows_of(std::span<const ExpectedCell> cells) const;

  /// Makes the folders, takes the experiment's lock and tries to write a file. Throws EnvironmentError, and
  /// then leaves no new folder behind.
  void open();
  /// Throws InputError if STEM.h5 is there and is not a results file: --fresh does not replace what harness
  /// did not write.
  void check_replaceable() const;
  /// Returns the indices of the cells that are there, assembled or not. Call it after check_replaceable().
  std::vector<std::uint32_t> cells_there() const;
  /// From this call on, nothing that is there counts as finished (--fresh). It stays until new results take
  /// its place: STEM.h5 unchanged, cells in the folder before/ of STEM.cells. Call it after open().
  void start_over();
  /// From this call on, cells that ended the program are run once more. Call it after open().
  void forget_crashes();
  /// Keeps the experiment's fields of Provenance beside the cells, for collect(). Call it after open().
  void keep_experiment(const std::string& toml, const std::string& inputs, std::uint64_t cells);
  /// Puts STEM.h5 together from these cells, then removes STEM.cells. An exception of `before_each` ends it
  /// and leaves both as they were.
  void assemble(std::span<const ExpectedCell> expected, const Provenance& provenance,
                const std::function<void()>& before_each);
  /// Throws InputError if a run with --fresh is unfinished, which will replace STEM.h5.
  void refuse_unfinished_fresh() const;
  /// Puts STEM.h5 together from the cells that it holds and the cells of STEM.cells, which stay. Returns the
  /// number of cells that it holds then. Throws InputError, before it writes anything, if one of the files
  /// cannot be read or the two hold different cells of one index. It calls open(), and throws as that does.
  std::size_t collect(const Provenance& provenance);
  /// Removes what harness wrote in STEM.cells, and the folder if nothing else is in it. Call it if nothing
  /// but STEM.h5 is needed.
  void remove_cells();

 private:
  void remove_made_folders();

  std::string results_;
  std::string cells_;
  std::map<std::string, std::string> found_;  ///< input hash -> file that holds the cell
  std::vector<std::string> made_;             ///< folders that open() made
  int lock_ = -1;
};

/// The index and the input hash that a finished cell must have to be used again.
struct ExpectedCell {
  std::uint32_t index = 0;
  std::string input_hash;
};

/// A finished cell that was made from other settings, other files or by another build.
struct ForeignCell {
  std::string path;   ///< path of the file that holds it
  CellIdentity cell;  ///< identity of the cell, with its effective settings
};

/// Adds the cells in the folder STEM.cells to STEM.h5 beside it; returns the number of cells that it holds
/// then. Throws InputError if `folder` is no such folder or holds no cells, EnvironmentError if a run writes
/// there.
std::size_t collect_cells(const std::string& folder, const Provenance& provenance);

}  // namespace harness
