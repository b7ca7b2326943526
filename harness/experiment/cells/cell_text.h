// A cell's effective settings as one canonical text, itself an experiment file with that one cell.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/expansion.h"

namespace harness {

/// What names a cell besides its settings, its rate, its seed and its SLO.
struct CellNames {
  Runtime runtime = Runtime::kSimulated;
  double cell_limit_s = 0;
  std::string pipeline;
  bool has_tasks = false;  ///< it is a task tree
  std::string system;
  std::string library;  ///< that it comes with; "": none
  std::string variant;
  std::string faults;  ///< fault_tables()
};

/// What a cell keeps beside its counters.
struct CellRecord {
  bool rows = true;
  bool states = false;
  bool replay = false;
};

/// A cell's text but for three lines of [workload] and for [record], which is the same for many cells.
struct CellFrame {
  std::string before;
  std::string between;  ///< the rest of [workload]
  std::string after;
};

/// Every setting with its value, defaults too: [workload], [trace.NAME], [cluster], [serving], [planner], the
/// pipeline's [module.NAME], [record], [[system]] with all its parameters; [live] in emulated cells alone,
/// [workload]'s settings of task trees on those alone. A time limit, a warm-up and faults are named if there
/// are any.
CellFrame cell_frame(const Settings& settings, const CellNames& names,
                     const std::vector<std::string>& modules);

/// The text of one of its cells. `rate` is a line: "rates_rps = [...]" or "loads = [...]".
std::string cell_text(const CellFrame& frame, const std::string& rate, std::uint64_t seed, double slo_ms,
                      const CellRecord& record);

/// The settings that decide the plan: [cluster], [planner], those of [workload] and the modules.
std::string planning_text(const Settings& settings, const std::vector<std::string>& modules);

/// The trace alone.
std::string trace_text(const Settings& settings);

/// The first line in which two texts differ: "workers = 64, now workers = 32"; "" when they are equal.
std::string first_difference(const std::string& before, const std::string& now);

/// Returns the hash that a cell gets from its text and the build: with another one it is not used again.
std::string input_hash_of(const std::string& effective_toml, const std::string& build);

}  // namespace harness
