// Devices as they are named and listed.
#pragma once

#include <string>

namespace harness {

/// One device.
struct DeviceSpec {
  std::string kind = "cpu";  ///< "cpu", "cuda" or "null"
  int index = 0;             ///< cuda: the GPU's number on this host
  int threads = 1;           ///< cpu: that compute one batch together
  int worker = -1;           ///< of the cell that it serves, for its name; -1: of none
};

/// "cpu (worker 3)"; without a worker the device's name alone.
inline std::string with_worker(const std::string& device, int worker) {
  return worker < 0 ? device : device + " (worker " + std::to_string(worker) + ")";
}

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda:0"
  bool is_usable = false;   ///< make_device() takes it
  std::string description;  ///< what it is, or why it is not there
  std::string bus_id{};     ///< of a GPU, "0000:1A:00.0"
};

}  // namespace harness
