// The version of NVIDIA's driver.
#pragma once

#include <string>

namespace harness {

/// Returns the version of NVIDIA's driver, such as "580.95.05", from its kernel module; "" if this machine
/// has no such module, or it tells nothing. Reads below `root`, which is "/" outside of tests.
std::string nvidia_driver_version(const std::string& root = "/");

}  // namespace harness
