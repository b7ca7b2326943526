// STEM.cells/status.json: how far a run is, for `harness watch` and other programs (docs/commands.md).
// Results and resuming do not depend on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/record/run/summary_row.h"

namespace harness {

/// The report of a run on itself. Times of day are seconds since 1970.
struct RunStatus {
  std::string state = "running";  ///< "running", or "stopped": it ended before all cells were finished
  std::string experiment;
  std::string results;  ///< path of STEM.h5, which is written last
  std::string host;     ///< host of rank 0
  std::int64_t pid = 0;
  std::int64_t pid_start = 0;  ///< start of that process in kernel ticks; tells it from others of that pid
  int ranks = 1;
  std::uint64_t total = 0;  ///< number of cells
  std::uint64_t done = 0;
  std::uint64_t failed = 0;   ///< number of skipped or invalid cells among the ones that this run ran
  std::uint64_t running = 0;  ///< number of cells that run now
  double started_s = 0;
  double updated_s = 0;
  double elapsed_s = 0;
  double eta_s = kNoValue;  ///< seconds left
  std::string cell;         ///< name of the cell that rank 0 runs
  double cell_share = 0;    ///< share of its load that is over
  std::string last_cell;    ///< name of the last cell that rank 0 has finished
};

/// Returns the status of a run of this process.
RunStatus own_status();
/// Reads the status from a file. Throws InputError if there is no such file, or it holds no status.
RunStatus read_status(const std::string& path);
/// Returns true if the run's process is gone or, on another host, has been silent for an hour.
bool is_dead(const RunStatus& status);
/// Returns the seconds since the status was written.
double silent_s(const RunStatus& status);

/// Writes a status now and then. Ignores errors of writing: the file is only for people to look at.
class StatusFile {
 public:
  StatusFile(std::string path, const RunStatus& status);
  /// Writes that the run was stopped, unless close() was called.
  ~StatusFile();
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  RunStatus status;
  /// Writes `status`, unless it was written within this time.
  void update(std::chrono::milliseconds at_least);
  /// Ends the writing: the run is complete.
  void close() { is_open_ = false; }

 private:
  using Clock = std::chrono::steady_clock;
  void write();

  std::string path_;
  bool is_open_ = true;
  Clock::time_point began_ = Clock::now();
  std::optional<Clock::time_point> written_;
};

}  // namespace harness
