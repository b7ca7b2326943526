// Opening a results file for reading, with one clear line for any fault of the file. Internal to record/.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/memory.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/run/summary.h"

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

/// Reads the rows of /summary. Throws Hdf5Failure if a column is missing that every file has.
std::vector<SummaryRow> read_summary_table(hid_t root);

/// An HDF5 file that is opened for reading after its checksum was found right. The check reads the whole file
/// once in a run of the program, however often the file is opened. The constructor throws InputError.
class VerifiedFile {
 public:
  explicit VerifiedFile(const std::string& path);
  hid_t root() const { return file_.get(); }
  /// Returns the attribute kFormatAttribute; "" if the file lacks it. For a file of the harness without a
  /// checksum, as older versions wrote them, it prints a warning to standard error, once in a run of the
  /// program.
  std::string format() const;
  /// Runs `work` and turns a failure of the library into an InputError. A lack of memory is no fault of the
  /// file, and is passed on.
  template <class Work>
  auto read(Work work) const {
    try {
      require_memory();
      return work();
    } catch (const Hdf5Failure& failure) {
      throw damaged(failure.what());
    } catch (const std::length_error&) {
      throw damaged("hold it in memory");
    }
  }

 private:
  InputError damaged(const std::string& doing) const;

  std::string path_;
  Hdf5Handle file_;
  bool is_sealed_ = false;
};

/// A results file that is open for reading. The constructor throws InputError.
class ResultsReader {
 public:
  explicit ResultsReader(const std::string& path);
  hid_t root() const { return file_.root(); }
  template <class Work>
  auto read(Work work) const {
    return file_.read(work);
  }

 private:
  void check_format() const;

  std::string path_;
  VerifiedFile file_;
};

}  // namespace harness
