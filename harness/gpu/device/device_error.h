// The faults of devices, told apart so that a caller can fail one batch, one cell or the device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/environment_error.h"

namespace harness {

enum class DeviceFault : std::uint8_t {
  kNoFault,
  kOutOfMemory,    ///< the batch or model is too large for the device's memory; smaller ones may fit
  kMissingModel,   ///< there is no such model or file
  kNotAModel,      ///< the file exists, but the device cannot run it
  kWrongShape,     ///< images, batch size or output do not fit the model
  kComputeFailed,  ///< the model failed on this batch; other batches may run
  kDeviceLost,     ///< nothing will run on this device any more
};
/// Returns "out of memory", "missing model" and so on.
const char* name_of(DeviceFault fault);

struct DevicePlace;

/// A failure of the environment that affects only the cell in which it happens, unless fault() is
/// kDeviceLost. what() is one line: "device cpu (worker 0): model resnet50, batch 8: out of memory: DETAIL".
class DeviceError : public EnvironmentError {
 public:
  /// Turns line breaks of `detail` into spaces, removes white space at its end, and cuts it if it is long.
  DeviceError(DeviceFault fault, const DevicePlace& place, std::string_view detail);
  DeviceFault fault() const { return fault_; }
  const std::string& detail() const { return detail_; }
  /// Returns this error if it names a model, else the same fault at `place`: a failed library call knows
  /// neither model nor batch.
  DeviceError at(const DevicePlace& place) const;

 private:
  DeviceFault fault_;
  bool names_model_;
  std::string detail_;
};

/// The place of a fault. Messages leave out what is empty or 0.
struct DevicePlace {
  std::string device;  ///< name of the device (Device::name())
  std::string model;   ///< name of the model (ModelSource::model), and its file if it has one
  int batch = 0;       ///< number of visits in the batch
};

/// Returns the exception that is being handled as a DeviceError: inputs that an assembly refuses (InputError)
/// have a wrong shape, std::bad_alloc means out of memory, any other exception is a failed computation. A
/// DeviceError is kept, at `place` if it names no model.
DeviceError caught_at(const DevicePlace& place);

}  // namespace harness
