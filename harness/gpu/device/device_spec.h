// The description of a device, from which it is made.
#pragma once

#include <string>

#include "harness/gpu/device/device_traits.h"

namespace harness {

/// A device by kind and number.
struct DeviceSpec {
  DeviceKind kind = DeviceKind::kCpu;
  int index = 0;    ///< number of the GPU on this host, of kinds that need one
  int threads = 1;  ///< number of threads that compute one batch together, of kinds that take threads
  int worker = -1;  ///< number of the cell's worker that it serves, for its name; -1: it serves no worker

  bool operator==(const DeviceSpec&) const = default;
};

/// Parses "cpu", "null", "cuda" or "cuda:1". Throws InputError, with `key` as the place, for any other text.
DeviceSpec parse_device(const std::string& text, const std::string& key);

/// Returns "cpu (worker 3)"; without a worker the device's name alone.
inline std::string with_worker(const std::string& device, int worker) {
  return worker < 0 ? device : device + " (worker " + std::to_string(worker) + ")";
}

}  // namespace harness
