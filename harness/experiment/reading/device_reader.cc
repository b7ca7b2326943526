#include "harness/experiment/reading/device_reader.h"

#include <algorithm>

#include "harness/experiment/reading/config_tree.h"

namespace harness {

std::vector<DeviceAt> read_devices(const TableReader& cluster) {
  constexpr int kMax = 1'000'000;
  constexpr double kDearest = 1e6;
  std::vector<DeviceAt> devices;
  if (!cluster.has(kDeviceKey)) return devices;
  for (const TableReader& table : cluster.tables(kDeviceKey)) {
    table.require_known({"name", "count", "usd_per_h"});
    DeviceAt device;
    device.name = table.text("name");
    device.count = table.integer("count", 1, kMax);
    device.usd_per_h = table.number("usd_per_h", 0, kDearest);
    device.place = table.place("name");
    const auto is_same = [&](const DeviceAt& other) { return other.name == device.name; };
    if (std::any_of(devices.begin(), devices.end(), is_same))
      throw input_error(device.place, "a second kind named '" + device.name + "'", "each kind once");
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string device_tables(const std::vector<DeviceAt>& devices) {
  std::string text;
  for (const DeviceAt& device : devices) {
    text += "\n[[cluster.device]]\nname = " + toml_text(device.name) +
            "\ncount = " + std::to_string(device.count) + "\nusd_per_h = " + text_of(device.usd_per_h) + "\n";
  }
  return text;
}

}  // namespace harness
