#include "harness/gpu/device/device_error.h"

#include <cstddef>
#include <exception>
#include <new>

#include "harness/core/input_error.h"

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
  detail = detail.substr(0, detail.find_last_not_of(" \t\r\n") + 1);
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
    : EnvironmentError(message_of(fault, place, detail)),
      fault_(fault),
      names_model_(!place.model.empty()),
      detail_(detail) {}

DeviceError DeviceError::at(const DevicePlace& place) const {
  return names_model_ ? *this : DeviceError(fault_, place, detail_);
}

DeviceError caught_at(const DevicePlace& place) {
  try {
    throw;
  } catch (const DeviceError& error) {
    return error.at(place);
  } catch (const InputError& error) {
    return {DeviceFault::kWrongShape, place, error.what()};
  } catch (const std::bad_alloc&) {
    return {DeviceFault::kOutOfMemory, place, ""};
  } catch (const std::exception& error) {
    return {DeviceFault::kComputeFailed, place, error.what()};
  } catch (...) {
    return {DeviceFault::kComputeFailed, place, "for an unknown reason"};
  }
}

}  // namespace harness
