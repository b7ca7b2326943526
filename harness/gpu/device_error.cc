#include "harness/gpu/device_error.h"

#include <cstddef>

namespace harness {
namespace {

constexpr std::size_t kLongestDetail = 400;

std::string message_of(DeviceFault fault, const DevicePlace& place, std::string_view detail) {
  std::string where;
  if (!place.model.empty()) where += "model " + place.model;
  if (place.batch > 0) where += (where.empty() ? "batch " : ", batch ") + std::to_string(place.batch);
  std::string line;
  if (!place.device.empty()) line += "device " + place.device + ": ";
  if (!where.empty()) line += where + ": ";
  line += name_of(fault);
  if (detail.empty()) return line;
  line += ": ";
  line += detail.substr(0, kLongestDetail);
  if (detail.size() > kLongestDetail) line += "...";
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return line;
}

}  // namespace

const char* name_of(DeviceFault fault) {
  constexpr const char* kNames[] = {"no fault",    "out of memory",  "missing model", "not a model",
                                    "wrong shape", "compute failed", "device lost"};
  return kNames[static_cast<int>(fault)];
}

DeviceError::DeviceError(DeviceFault fault, const DevicePlace& place, std::string_view detail)
    : EnvironmentError(message_of(fault, place, detail)), fault_(fault) {}

}  // namespace harness
