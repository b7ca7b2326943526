// Checks that the ranks of this job can hold the cells of an experiment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/live/protocol/live_params.h"
#include "harness/machine/check.h"

namespace harness {

/// The kinds of live cells of an experiment, or of the experiments of a suite.
struct ExperimentLayout {
  struct Kind {
    int workers = 0;
    LiveParams live;
  };
  std::string file;
  std::vector<Kind> live;  ///< kinds of live cells, each once
  /// The needs of one experiment's cells with runtime = "gpu".
  struct Devices {
    std::string file;
    std::vector<DeviceNeed> needs;
    bool has_emulated = false;  ///< true: it also has live cells that need no devices
  };
  std::vector<Devices> devices;
  std::size_t cells = 0;       ///< number of cells of every runtime
  std::size_t on_servers = 0;  ///< number of cells with runtime = "server"
  std::size_t skipped = 0;     ///< number of live cells that no plan fits
};

/// Reads the kinds of live cells of a file. Throws InputError, also if a run of the file would.
ExperimentLayout read_layout(const std::string& file, const std::vector<std::string>& overrides);

/// Returns one finding if all kinds fit, which also tells if ranks stay idle in every cell, else one for each
/// fault of a kind. `cores` are the ones that rank 0 may use.
std::vector<Check> check_layout(const ExperimentLayout& experiment, int ranks, std::span<const int> cores);

/// Checks that the ranks have the devices of the cells with runtime = "gpu", and tells what makes their
/// results doubtful. It is a failure if no live cell of an experiment can run, so that it would be refused.
/// Empty if there are no such cells.
std::vector<Check> check_devices(const ExperimentLayout& experiment, std::span<const RankMachine> machines);

}  // namespace harness
