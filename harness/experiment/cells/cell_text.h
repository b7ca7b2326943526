// A cell's effective settings as one canonical text, itself an experiment file with that one cell.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/cell.h"

namespace harness {

/// The names and fixed properties of a cell besides its settings, its rate, its seed and its SLO.
struct CellNames {
  Runtime runtime = Runtime::kSimulated;
  double cell_limit_s = 0;
  std::string pipeline;
  bool has_tasks = false;  ///< true: it is a task tree
  std::string system;
  std::string library;  ///< library that the system comes with; "": none
  std::string variant;
  std::string faults;  ///< fault_tables()
};

/// The records that a cell keeps beside its counters.
struct CellRecord {
  bool rows = true;
  bool states = false;
  bool replay = false;
};

/// A cell's text without three lines of [workload] and without [record]. It is the same for many cells.
struct CellTextTemplate {
  std::string before;
  std::string between;  ///< rest of [workload]
  std::string after;
};

/// Returns every setting with its value, defaults too: [workload], [trace.NAME], [cluster], [serving],
/// [planner], the pipeline's [module.NAME], and [[system]] with all its parameters; [live] in live cells
/// only, [gpu] in cells on GPUs only, [workload]'s settings of task trees on task trees only. It names a time
/// limit, a warm-up and faults if there are any.
CellTextTemplate cell_frame(const Settings& settings, const CellNames& names,
                            const std::vector<std::string>& modules);

/// Returns the text of a cell with that frame. `rate` is a line: "rates_rps = [...]" or "loads = [...]".
std::string cell_text(const CellTextTemplate& frame, const std::string& rate, std::uint64_t seed,
                      double slo_ms, const CellRecord& record);

/// Returns the settings that decide the plan: [cluster], [planner], [workload] without its axes, and the
/// modules.
std::string planning_text(const Settings& settings, const std::vector<std::string>& modules);

/// Returns the text of the trace only.
std::string trace_text(const Settings& settings);

/// Returns the first line in which two texts differ, as "workers = 64, now workers = 32"; "" if they are
/// equal.
std::string first_difference(const std::string& before, const std::string& now);

/// Returns the hash that a cell gets from its text and the build: a stored cell with another hash is not used
/// again.
std::string input_hash_of(const std::string& effective_toml, const std::string& build);

/// Returns the hash of a cell's text alone: it is the same in every build that gives the cell this text.
std::string settings_hash_of(const std::string& effective_toml);

}  // namespace harness
