// Profiles of services that do not run batches, in a set of profiles.
#pragma once

#include <string>

#include "harness/core/profile.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/profile_table.h"

namespace harness {

/// Gives the profile of a table the source of the set and the device `device`, unless it has its own. Throws
/// InputError if there is no device.
void complete_names(const TableReader& fields, const SetTable& top, const std::string& device,
                    Profile& profile);

/// Reads a [[shared]] table: a server with continuous batching. Throws InputError.
Profile shared_profile(const TableReader& fields, const SetTable& top);
/// Reads a [[delay]] table: a remote call. Throws InputError.
Profile delay_profile(const TableReader& fields, const SetTable& top);

}  // namespace harness
