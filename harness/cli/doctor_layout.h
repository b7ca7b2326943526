// Whether the ranks of this job can hold the cells of an experiment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/live/live_params.h"
#include "harness/live/machine_checks.h"

namespace harness {

/// The kinds of live cells of an experiment, or of those of a suite.
struct ExperimentLayout {
  struct Kind {
    int workers = 0;
    LiveParams live;
  };
  std::string file;
  std::vector<Kind> live;   ///< each once
  std::size_t cells = 0;    ///< of every runtime
  std::size_t skipped = 0;  ///< live ones that no plan fits
};

/// Throws InputError, also where a run of the file would.
ExperimentLayout read_layout(const std::string& file, const std::vector<std::string>& overrides);

/// One finding if all kinds fit, which says so when ranks stay idle in every cell, else one for each that
/// does not. `cores` are those that rank 0 may use.
std::vector<Check> check_layout(const ExperimentLayout& experiment, int ranks, std::span<const int> cores);

}  // namespace harness
