// How far the cells of a run are: one line that changes on a terminal, a line per finished cell elsewhere, or
// lines of JSON; and its status file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "harness/experiment/running/run_console.h"
#include "harness/experiment/running/run_status.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// Shows the progress of a rank's cells; one object per rank.
class Progress {
 public:
  /// The amount of work of a run of cells, and how far the experiment was before.
  struct Work {
    std::size_t cells = 0;           ///< number of cells in the experiment's round
    std::size_t finished_cells = 0;  ///< number of the round's cells finished before these
    std::size_t earlier_cells = 0;   ///< number of cells finished before the round
    double amount = 0;               ///< amount of work: requests of simulated cells, seconds of live ones
    bool live = false;               ///< true: one cell after the other, in wall-clock time
  };

  /// Keeps `status` up to date; null on ranks other than 0. What this refers to must outlive it.
  Progress(CellDistribution& ranks, const Work& work, const RunConsole& console, StatusFile* status);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Notes that a cell begins here.
  void begin(const CellIdentity& cell, double slo_ms, double duration_s);
  /// Notes that the cell is at this time of its load. It is cheap enough to be called every few milliseconds.
  void update(TimeNs now, std::uint64_t sent);
  /// Notes that rank 0 has no cell and waits for the others; as cheap as update().
  void wait();
  /// Notes what the cell that has begun has loaded, for its line.
  void note_loading(const std::string& loading) { loading_ = loading; }
  void finish(const SummaryRow& row);
  /// Notes that all cells of this work are finished, on all ranks.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed_s() const;
  std::size_t finished_cells();
  /// Returns true if it is time to look at the counts of all ranks again.
  bool is_due(Clock::time_point at);
  /// Returns the seconds until all cells are done, if `running` is done of the running one; negative if it
  /// cannot be told.
  double left_s(double running);
  void note_status(double share, double left_s, std::chrono::milliseconds at_least);
  void show_event(const SummaryRow& row, std::size_t done, double left_s) const;

  CellDistribution& ranks_;
  Work work_;
  const RunConsole& console_;
  StatusFile* status_;
  std::uint64_t failed_before_ = 0;  ///< number of failed cells in `status` at the start
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_{};
  Clock::time_point noted_{};
  Clock::time_point cell_began_ = Clock::now();
  std::string name_;
  std::string loading_;
  double duration_s_ = 0;
  double done_s_ = 0;  ///< seconds of live cells that are done
};

}  // namespace harness
