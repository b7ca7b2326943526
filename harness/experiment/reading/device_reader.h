// Reads the tables [[cluster.device]] of an experiment file, and writes them.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/settings.h"
#include "harness/files/table_reader.h"

namespace harness {

/// The key of [cluster] that holds the kinds of devices.
inline constexpr const char* kDeviceKey = "device";

/// Returns the kinds of devices in [cluster]; empty if it has no such key. Throws InputError.
std::vector<DeviceAt> read_devices(const TableReader& cluster);

/// Returns the kinds as [[cluster.device]] tables, which read back as the same.
std::string device_tables(const std::vector<DeviceAt>& devices);

}  // namespace harness
