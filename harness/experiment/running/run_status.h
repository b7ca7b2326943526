// STEM.cells/status.json: how far a run is, for `harness watch` and other programs (docs/commands.md).
// Results and resuming do not depend on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/record/run/summary.h"

namespace harness {

/// What a run says of itself. Times of day are seconds since 1970.
struct RunStatus {
  std::string state = "running";  ///< or stopped: it ended before all cells were finished
  std::string experiment;
  std::string results;  ///< STEM.h5, which is written last
  std::string host;     ///< of rank 0
  std::int64_t pid = 0;
  std::int64_t pid_start = 0;  ///< when that process started, in the kernel's ticks: another has another
  int ranks = 1;
  std::uint64_t total = 0;  ///< cells
  std::uint64_t done = 0;
  std::uint64_t failed = 0;   ///< of those that this run ran: skipped or invalid
  std::uint64_t running = 0;  ///< at this time
  double started_s = 0;
  double updated_s = 0;
  double elapsed_s = 0;
  double eta_s = kNoValue;  ///< seconds left
  std::string cell;         ///< that rank 0 runs
  double cell_share = 0;    ///< of its load that is over
  std::string last_cell;    ///< that rank 0 has finished
};

/// The status of a run of this process.
RunStatus own_status();
/// Throws InputError when there is no such file, or it is none.
RunStatus read_status(const std::string& path);
/// Whether the run's process is gone or, on another host, has been silent for an hour.
bool is_dead(const RunStatus& status);
/// Seconds since the status was written.
double silent_s(const RunStatus& status);

/// Writes a status now and then. What cannot be written is left out: it is for looking at only.
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
  /// Nothing is written from here on: the run is complete.
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
