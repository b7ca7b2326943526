// The logs of a cell, read back to repeat its decisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/run/replay_log.h"

namespace harness {

/// The data needed to repeat a cell's decisions.
struct CellReplay {
  std::string effective_toml;
  std::vector<ReplayLog> logs;  ///< logs of the queues; empty if the run did not record them
};
/// Reads these data of the cell with that index. Throws InputError like read_summary().
CellReplay read_cell_replay(const std::string& path, std::uint32_t index);

}  // namespace harness
