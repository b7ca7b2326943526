// What reached the queue domains of a cell, in its file. Internal to record/.
#pragma once

#include <vector>

#include "harness/record/hdf5_handle.h"
#include "harness/record/replay_log.h"

namespace harness {

/// Writes the datasets `replay` (a row per domain) and `replay_log` (their bytes, one after the other),
/// unless nothing was recorded.
void write_replay(hid_t group, const std::vector<ReplayLog>& logs);
/// Reads them back; nothing when they are not there.
std::vector<ReplayLog> read_replay(hid_t group);

}  // namespace harness
