// Checks that try what a host gives to runs: a socket, and the folder that results go to.
#pragma once

#include <string>

#include "harness/machine/check.h"

namespace harness {

/// Writes, syncs and removes a small file in `folder`, or in the nearest folder above it that exists.
Check check_output_folder(const std::string& folder);
/// Checks that HDF5 will be able to lock files there; `setting` is HDF5_USE_FILE_LOCKING, or empty.
Check check_file_locking(const std::string& folder, const std::string& setting);
/// Binds a datagram socket, and sends to it.
Check check_own_socket();

}  // namespace harness
