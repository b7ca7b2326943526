// Whether the ranks of this job can hold the cells of an experiment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_distribution.h"
#include "harness/experiment/cells/device_needs.h"
#include "harness/live/protocol/live_params.h"
#include "harness/machine/machine_checks.h"

namespace harness {

/// The kinds of live cells of an experiment, or of those of a suite.
struct ExperimentLayout {
  struct Kind {
    int workers = 0;
    LiveParams live;
  };
  std::string file;
  std::vector<Kind> live;  ///< each once
  /// An experiment's cells with runtime = "gpu".
  struct Devices {
    std::string file;
    std::vector<DeviceNeed> needs;
    bool has_emulated = false;  ///< live cells that need none
  };
  std::vector<Devices> devices;
  std::size_t cells = 0;    ///< of every runtime
  std::size_t skipped = 0;  ///< live ones that no plan fits
};

/// Throws InputError, also where a run of the file would.
ExperimentLayout read_layout(const std::string& file, const std::vector<std::string>& overrides);

/// One finding if all kinds fit, which says so when ranks stay idle in every cell, else one for each that
/// does not. `cores` are those that rank 0 may use.
std::vector<Check> check_layout(const ExperimentLayout& experiment, int ranks, std::span<const int> cores);

/// Whether the ranks have the devices of the cells with runtime = "gpu" (a failure where no live cell of an
/// experiment can run, so that it would be refused), and what makes their results doubtful. Nothing without
/// such cells.
std::vector<Check> check_devices(const ExperimentLayout& experiment, std::span<const RankMachine> machines);

}  // namespace harness
