// The HDF5 files (results/README.md is the schema): one small file per finished cell, assembled into the
// experiment's file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/run/summary.h"

namespace harness {

/// The layout of the files this program writes; it reads no newer one.
inline constexpr int kResultsFormat = 1;

/// What made a results file; written as attributes of the root.
struct Provenance {
  std::string experiment;       ///< stem of the experiment's file
  std::string experiment_toml;  ///< its effective text, --set applied
  std::string git_commit;       ///< of the build; "unknown" outside a clone
  bool git_dirty = false;
  std::string versions;  ///< "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, ..."
  std::string machine;   ///< processor, cores
  double wall_s = 0;     ///< from the start of the program to the assembly
  /// Hash of the program and of all that the experiment's files name; "": not known.
  std::string experiment_inputs;
  /// Of the whole experiment, of which these may be a part; 0: not known.
  std::uint64_t experiment_cells = 0;
  TimeNs clock_bound_ns = 0;  ///< the largest of the cells', which assemble_results() takes from them

  bool operator==(const Provenance&) const = default;
};

/// Writes one cell: rows while the run goes on, the rest at finish(). The file appears under its name only
/// when it is complete (temporary name beside it, fsync, rename). Destroyed unfinished, it removes the
/// temporary file. Throws EnvironmentError (disk full, read-only folder) naming the path.
class CellFileWriter : public RowSink {
 public:
  CellFileWriter(const std::string& path, const CellIdentity& cell,
                 const std::vector<std::string>& module_names);
  ~CellFileWriter() override;
  void requests(std::span<const RequestRow> rows) override;
  void visits(std::span<const VisitRow> rows) override;
  void finish(SummaryRow row, const RunRecord& record);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// The input hash of a finished cell file; empty when the file does not exist; throws InputError when it is
/// not ours.
std::optional<std::string> cell_input_hash(const std::string& path);

/// Assembles the experiment's file from files of finished cells, by temporary name and rename; rows stand in
/// the order of the cells' indices. A cell that comes again, made from the same, is taken from the first file
/// that has it. What `before_each` throws before a file is read ends it, with nothing written. Throws
/// InputError when two cells have the same index.
void assemble_results(const std::string& path, const std::vector<std::string>& cell_files,
                      const Provenance& provenance, const std::function<void()>& before_each = {});

/// For a program that will follow whatever stands in the file: throws InputError, naming the link or dataset,
/// unless all of it lies in this file.
void require_own_objects(const std::string& path);
/// Reads /summary of an assembled file. Throws InputError (with the path) when the file is missing or not
/// ours.
std::vector<SummaryRow> read_summary(const std::string& path);
/// The same with the cells' effective settings.
std::vector<SummaryRow> read_summary_with_settings(const std::string& path);
/// What became of the requests that enter at one module of one cell.
struct EntryCounts {
  std::uint32_t cell = 0;  ///< its index
  std::string module;      ///< its name
  RequestCounts requests;
};
/// Reads them for all cells that ran, in the order of the file, each with its modules that have no pres. A
/// cell written before requests were counted by entry has none. Throws InputError as read_summary.
std::vector<EntryCounts> read_entry_counts(const std::string& path);
/// Reads the plans of all cells that ran, in the order of the file, a row for each of a cell's modules.
/// Throws InputError as read_summary.
std::vector<StartPlan> read_start_plans(const std::string& path);
/// Reads the minutes of all cells that ran, in the order of the file. Throws InputError as read_summary.
std::vector<CellMinutes> read_minutes(const std::string& path);
/// Reads the provenance of an assembled file. Throws InputError as read_summary.
Provenance read_provenance(const std::string& path);

/// One cell read back whole. Histograms keep their counts, so that every quantile is the one of the run.
struct CellContents {
  SummaryRow summary;
  RunRecord record;
  std::vector<std::string> module_names;
  std::vector<RequestRow> requests;  ///< empty when the run recorded no rows, as `visits`
  std::vector<VisitRow> visits;
};
/// Reads the cell with that index, without its replay. Throws InputError as read_summary, and when there is
/// no such cell.
CellContents read_cell(const std::string& path, std::uint32_t index);

/// What it takes to repeat a cell's decisions.
struct CellReplay {
  std::string effective_toml;
  std::vector<ReplayLog> logs;  ///< empty when the run did not record them
};
/// Reads it of the cell with that index. Throws InputError as read_summary.
CellReplay read_cell_replay(const std::string& path, std::uint32_t index);

}  // namespace harness
