// The logs of the queues in a cell's file, which holds them only on request. Internal to record/.
#pragma once

#include <hdf5.h>

#include <vector>

#include "harness/record/run/replay_log.h"

namespace harness {

/// Writes the datasets `replay` (a row per queue) and `replay_log` (the logs' bytes, one after the other),
/// unless nothing was recorded.
void write_replay(hid_t group, const std::vector<ReplayLog>& logs);
/// Reads these datasets. Returns no logs if they are missing.
std::vector<ReplayLog> read_replay(hid_t group);

}  // namespace harness
