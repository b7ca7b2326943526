// What a run shows on standard error: one line that changes on a terminal, a line per finished cell
// elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "harness/experiment/cells/cell_distribution.h"
#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

/// What a run of cells has to do, and how far it was before.
struct Work {
  std::size_t cells = 0;           ///< of the experiment's round
  std::size_t finished_cells = 0;  ///< before these
  double amount = 0;               ///< simulated cells: requests; live ones: seconds
  bool live = false;               ///< one cell after the other, in wall-clock time
};

/// One per rank. `quiet` shows nothing.
class Progress {
 public:
  Progress(CellDistribution& ranks, const Work& work, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A cell begins here.
  void begin(const CellIdentity& cell, double slo_ms, double duration_s);
  /// It is at this time of its load. Cheap enough to be called every few milliseconds.
  void update(TimeNs now, std::uint64_t sent);
  /// What the cell that has begun has loaded, for its line.
  void note_loading(const std::string& loading) { loading_ = loading; }
  void finish(const SummaryRow& row);

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed_s() const;
  std::size_t finished_cells();
  /// Seconds until all cells are done, from what is done of the running one; negative when it cannot be told.
  double left_s(double running);
  void show_line(const std::string& line);

  CellDistribution& ranks_;
  Work work_;
  bool quiet_;
  bool terminal_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_{};
  Clock::time_point cell_began_ = Clock::now();
  std::string name_;
  std::string loading_;
  double duration_s_ = 0;
  double done_s_ = 0;  ///< of live cells
};

/// Adds the columns that name a cell, as /summary has them.
void add_names(JsonObject& object, const CellIdentity& cell, double slo_ms);
/// "pard lv tweet slo 500 ms load 1.2 seed 1", with the variant and the parameters where there are any.
std::string cell_title(const CellIdentity& cell, double slo_ms);
/// "3.2 M", "850 k", "12".
std::string short_count(double count);
/// "1.2 GB", "850 MB", "12 kB".
std::string short_bytes(double bytes);
/// "4.1 s", "2 min 5 s", "1 h 3 min".
std::string short_time(double seconds);

}  // namespace harness
