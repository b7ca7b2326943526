// Profiles of services that do not run batches, as they stand in a set of profiles.
#pragma once

#include "harness/core/profile.h"
#include "workloads/table_reader.h"

namespace harness {

/// A [[shared]] table: a server with continuous batching. `top` gives the device and source of all profiles.
/// Throws InputError.
Profile shared_profile(const TableReader& fields, const TableReader& top);
/// A [[delay]] table: a remote call. Throws InputError.
Profile delay_profile(const TableReader& fields, const TableReader& top);

}  // namespace harness
