// Devices as they are named and listed.
#pragma once

#include <string>

namespace harness {

/// One device.
struct DeviceSpec {
  std::string kind = "cpu";  ///< "cpu", "cuda" or "null"
  int index = 0;             ///< cuda: the GPU's number on this host; cpu: tells several of them apart
  int threads = 1;           ///< cpu: that compute one batch together
};

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda:0"
  bool is_usable = false;   ///< make_device() takes it
  std::string description;  ///< what it is, or why it is not there
};

}  // namespace harness
