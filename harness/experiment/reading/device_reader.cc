#include "harness/experiment/reading/device_reader.h"

#include <algorithm>

namespace harness {

void DeviceAt::list(ParamList& params) {
  params.text("name", name, "a device of the set of profiles", "the kind").needed();
  params.integer("count", count, 1, 1'000'000, "how many there are").needed();
  params
      .number("usd_per_h", usd_per_h, 0, 1e6,
              "what one that is in use costs an hour, with all that it takes; 0: the costs are not known")
      .needed();
}

std::vector<DeviceAt> read_devices(const TableReader& cluster) {
  std::vector<DeviceAt> devices;
  if (!cluster.has(kDeviceKey)) return devices;
  for (const TableReader& table : cluster.tables(kDeviceKey)) {
    auto device = table.read_as<DeviceAt>();
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
