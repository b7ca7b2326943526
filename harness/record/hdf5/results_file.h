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

/// The provenance of a results file: the experiment, the program and the machine that made it. It is written
/// as attributes of the root.
struct Provenance {
  std::string experiment;       ///< stem of the experiment's file
  std::string experiment_toml;  ///< effective text of that file, --set applied
  std::string git_commit;       ///< commit of the build; "unknown" outside a clone
  bool git_dirty = false;
  std::string versions;  ///< versions: "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, ..."
  std::string machine;   ///< processor, cores
  double wall_s = 0;     ///< time from the start of the program to the assembly
  /// Hash of the program and of the contents of all files that the experiment names; "": not known.
  std::string experiment_inputs;
  /// Number of cells of the whole experiment, of which the file may hold a part; 0: not known.
  std::uint64_t experiment_cells = 0;
  TimeNs clock_bound_ns = 0;  ///< largest bound of the cells; assemble_results() takes it from their files

  bool operator==(const Provenance&) const = default;
};

/// Writes one cell: rows while the run goes on, the rest at finish(). The file appears under its name only
/// when it is complete (temporary name beside it, fsync, rename). If the writer is destroyed before finish(),
/// it removes the temporary file. Throws EnvironmentError (disk full, read-only folder) naming the path.
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

/// Returns the input hash of a finished cell file; nothing if the file does not exist. Throws InputError if
/// it is no file of a single cell.
std::optional<std::string> cell_input_hash(const std::string& path);

/// Assembles the experiment's file from files of finished cells, by temporary name and rename; rows are in
/// the order of the cells' indices. A cell that occurs again with the same input hash is taken from the first
/// file that has it. `before_each` is called before each file is read; if it throws, nothing is written.
/// Throws InputError if two different cells have the same index.
void assemble_results(const std::string& path, const std::vector<std::string>& cell_files,
                      const Provenance& provenance, const std::function<void()>& before_each = {});

/// Throws InputError, naming the link or dataset, unless all objects of the file lie in the file itself. To
/// be called before a program that follows links reads the file.
void require_own_objects(const std::string& path);
/// Reads /summary of a results file. Throws InputError (with the path) if the file is missing or no results
/// file.
std::vector<SummaryRow> read_summary(const std::string& path);
/// Reads the same with the cells' effective settings.
std::vector<SummaryRow> read_summary_with_settings(const std::string& path);
/// The outcomes of the requests that enter at one module of one cell.
struct EntryCounts {
  std::uint32_t cell = 0;  ///< index of the cell
  std::string module;      ///< name of the module
  RequestCounts requests;
};
/// Reads the counts of all cells that ran, in the order of the file, for each cell's modules that no module
/// precedes. A cell that was written before requests were counted by entry gets no counts. Throws InputError
/// like read_summary().
std::vector<EntryCounts> read_entry_counts(const std::string& path);
/// Reads the initial plans of all cells that ran, in the order of the file, a row for each of a cell's
/// modules. Throws InputError like read_summary().
std::vector<StartPlan> read_start_plans(const std::string& path);
/// Reads the minutes of all cells that ran, in the order of the file. Throws InputError like read_summary().
std::vector<CellMinutes> read_minutes(const std::string& path);
/// Reads the provenance of an assembled file. Throws InputError like read_summary().
Provenance read_provenance(const std::string& path);

/// The whole contents of one cell. Histograms keep their counts, so that every quantile is as in the run.
struct CellContents {
  SummaryRow summary;
  RunRecord record;
  std::vector<std::string> module_names;
  std::vector<RequestRow> requests;  ///< rows; empty if the run recorded none
  std::vector<VisitRow> visits;      ///< rows; empty if the run recorded none
};
/// Reads the cell with that index, without its replay. Throws InputError like read_summary(), and if there is
/// no such cell.
CellContents read_cell(const std::string& path, std::uint32_t index);

/// The data needed to repeat a cell's decisions.
struct CellReplay {
  std::string effective_toml;
  std::vector<ReplayLog> logs;  ///< logs of the queues; empty if the run did not record them
};
/// Reads these data of the cell with that index. Throws InputError like read_summary().
CellReplay read_cell_replay(const std::string& path, std::uint32_t index);

}  // namespace harness
