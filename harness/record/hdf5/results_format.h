// The names in results files, and what all kinds of them hold. Internal to record/.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/run/summary_row.h"

namespace harness {

/// Attributes of the root that tell the kind of the file, and their values.
inline constexpr const char* kFormatName = "harness results";
inline constexpr const char* kCvFormatName = "harness trace cv";
inline constexpr const char* kFitFormatName = "harness fit";
inline constexpr const char* kFormatAttribute = "format";
inline constexpr const char* kVersionAttribute = "format_version";
inline constexpr const char* kContentsAttribute = "contents";
inline constexpr const char* kCellContents = "cell";
inline constexpr const char* kExperimentContents = "experiment";
/// An attribute of the root of an assembled file and of each cell's group; groups in older files lack it.
inline constexpr const char* kClockBoundAttribute = "clock_bound_ns";
inline constexpr const char* kExperimentInputsAttribute = "experiment_inputs";
inline constexpr const char* kExperimentCellsAttribute = "experiment_cells";
/// The table with a row per cell; its columns are listed by SummaryRow.
inline constexpr const char* kSummaryTable = "summary";
/// The table with a row (ColumnFacts) per column of /summary; only assembled files have it.
inline constexpr const char* kColumnsTable = "columns";

/// Returns "/cells/7" for 7.
std::string cell_group_name(std::uint32_t index);

/// Writes the attributes that tell the kind of the file; `contents` is kCellContents or kExperimentContents.
void write_format(hid_t root, const char* contents);
/// Writes the rows of /summary.
void write_summary(hid_t root, const std::vector<SummaryRow>& rows);

}  // namespace harness
