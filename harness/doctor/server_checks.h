// Checks that running servers have what the cells of an experiment ask of them.
#pragma once

#include <string>
#include <vector>

#include "harness/machine/check.h"

namespace harness {

/// Asks the servers of all cells with runtime = "server" as a run would, and sends each model one request.
/// Returns a finding for each address, and for each different reason why a cell would be skipped; empty if
/// there are no such cells. Throws InputError if a run of the file would.
std::vector<Check> check_servers(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace harness
