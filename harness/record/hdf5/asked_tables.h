// What a cell keeps only when it is asked to, in its file: published states, whose columns a system names,
// and what reached the queues. Internal to record/.
#pragma once

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Writes the dataset `states`, unless nothing was recorded.
void write_states(hid_t group, const StateTable& states);
/// Reads it back; an empty table when it is not there.
StateTable read_states(hid_t group);

/// Writes the datasets `replay` (a row per queue) and `replay_log` (their bytes, one after the other),
/// unless nothing was recorded.
void write_replay(hid_t group, const std::vector<ReplayLog>& logs);
/// Reads them back; nothing when they are not there.
std::vector<ReplayLog> read_replay(hid_t group);

}  // namespace harness
