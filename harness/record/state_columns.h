// Published states: a dataset whose columns a system names. Internal to record/.
#pragma once

#include "harness/record/hdf5_handle.h"
#include "harness/record/run_record.h"

namespace harness {

/// Writes the dataset `states`, unless nothing was recorded.
void write_states(hid_t group, const StateTable& states);
/// Reads it back; an empty table when it is not there.
StateTable read_states(hid_t group);

}  // namespace harness
