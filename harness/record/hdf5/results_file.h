// What an HDF5 file of results holds (results/README.md is the schema): one small file per finished cell,
// assembled into the experiment's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/hdf5/provenance.h"
#include "harness/record/run/plan_row.h"
#include "harness/record/run/request_counts.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/window_counts.h"

namespace harness {

/// The layout of the files this program writes; it reads no newer one.
inline constexpr int kResultsFormat = 1;

/// Returns the input hash of a finished cell file; nothing if the file does not exist. Throws InputError if
/// it is no file of a single cell.
std::optional<std::string> cell_input_hash(const std::string& path);

/// Throws InputError, naming the link or dataset, unless all objects of the file lie in the file itself. To
/// be called before a program that follows links reads the file.
void require_own_objects(const std::string& path);
/// Reads /summary of a results file. Throws InputError (with the path) if the file is missing or no results
/// file.
std::vector<SummaryRow> read_summary(const std::string& path);
/// Reads the same with the cells' effective settings.
std::vector<SummaryRow> read_summary_with_settings(const std::string& path);
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

}  // namespace harness
