// Profiles of services that do not run batches, in a set of profiles.
#pragma once

#include "harness/core/profile.h"
#include "harness/files/table_reader.h"

namespace harness {

/// Reads a [[shared]] table: a server with continuous batching. `top` gives the device and source of all
/// profiles. Throws InputError.
Profile shared_profile(const TableReader& fields, const TableReader& top);
/// Reads a [[delay]] table: a remote call. Throws InputError.
Profile delay_profile(const TableReader& fields, const TableReader& top);

}  // namespace harness
