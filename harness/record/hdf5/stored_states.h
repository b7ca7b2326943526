// Published states in a cell's file, which holds them only on request: a system names their columns. Internal
// to record/.
#pragma once

#include <hdf5.h>

#include "harness/record/run/state_table.h"

namespace harness {

/// Writes the dataset `states`, unless nothing was recorded.
void write_states(hid_t group, const StateTable& states);
/// Reads the dataset `states`. Returns an empty table if it is missing.
StateTable read_states(hid_t group);

}  // namespace harness
