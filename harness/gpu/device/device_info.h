// What `harness list devices` shows.
#pragma once

#include <string>

#include "harness/gpu/device/device_traits.h"

namespace harness {

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  DeviceKind kind{};
  std::string name;         ///< name: "cpu", "cuda:0"
  bool is_usable = false;   ///< true if make_device() accepts it
  std::string description;  ///< description of the device, or the reason why it is not there
  std::string bus_id{};     ///< PCI address of a GPU: "0000:1A:00.0"
};

}  // namespace harness
