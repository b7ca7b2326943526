// [robustness]: the other settings in which `harness robust` runs the experiment.
#pragma once

#include <string>
#include <vector>

#include "harness/files/table_reader.h"

namespace harness {

struct ExperimentSpec;

inline constexpr const char* kRobustnessKey = "robustness";
/// The key in which `harness robust` writes what it has not tried, and why, for readers of the results.
inline constexpr const char* kLeftOutKey = "left_out";

/// [robustness]: the settings besides its own in which `harness robust` runs the experiment. Runs ignore it.
struct Robustness {
  std::vector<Assignment> over;  ///< steps: one value of one key each, grouped by key
  bool standard = true;          ///< true: it takes its standard steps too
  std::string metric = "goodput_rps";
  double margin = 0.01;  ///< share of the larger mean; a smaller difference is a tie
  int seeds = 5;         ///< number of seeds that an experiment with fewer seeds gets
  int cells = 1000;      ///< largest number of cells
  std::vector<std::string>
      left_out;  ///< steps left out, in results of `harness robust`; only checked, never read

  void list(ParamList& params);
};

/// Reads [robustness], if the file has it. The rest of the experiment must have been read. Throws InputError,
/// also for a value that the experiment's key may not have.
void read_robustness(const TableReader& document, ExperimentSpec& spec);

}  // namespace harness
