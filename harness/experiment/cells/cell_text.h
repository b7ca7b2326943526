// A cell's effective settings as one canonical text, itself an experiment file with that one cell.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/cell.h"

namespace harness {

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
CellTextTemplate cell_frame(const ExperimentSpec& spec, const Cell& cell, const Settings& settings,
                            const Pipeline& pipeline);

/// Returns the text of a cell with that frame. `rate` is a line: "rates_rps = [...]" or "loads = [...]".
std::string cell_text(const CellTextTemplate& frame, const ExperimentSpec& spec, const Cell& cell,
                      const std::string& rate, double slo_ms);

std::vector<std::string> module_names(const Pipeline& pipeline);

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
