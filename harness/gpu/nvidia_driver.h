// Which driver NVIDIA's GPUs of this machine have.
#pragma once

#include <string>

namespace harness {

/// "580.95.05", as the kernel module tells it; "" where there is none, or it tells nothing. Reads below
/// `root`: "/" outside of tests.
std::string nvidia_driver_version(const std::string& root = "/");

}  // namespace harness
