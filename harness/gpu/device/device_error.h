// What can go wrong on a device, told apart so that a caller can fail one batch, one cell or the device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"

namespace harness {

enum class DeviceFault : std::uint8_t {
  kNoFault,
  kOutOfMemory,    ///< this batch or model is too much for it; smaller ones may fit
  kMissingModel,   ///< no such model or file
  kNotAModel,      ///< the file is there, but is none that the device can run
  kWrongShape,     ///< images, batch size or output do not fit the model
  kComputeFailed,  ///< the model failed on this batch; other batches may run
  kDeviceLost,     ///< nothing will run on this device any more
};
/// "out of memory", "missing model" and so on.
const char* name_of(DeviceFault fault);

/// Where a fault happened. Empty and 0 are left out of messages.
struct DevicePlace {
  std::string device;  ///< Device::name()
  std::string model;   ///< ModelSource::model, and its file if it has one
  int batch = 0;       ///< visits in the batch
};

/// An environment that fails the cell it happens in and no other, unless fault() is kDeviceLost. what() is
/// one line: "device cpu (worker 0): model resnet50, batch 8: out of memory: DETAIL".
class DeviceError : public EnvironmentError {
 public:
  /// Line breaks of `detail` become spaces, those at its end go; long ones are cut.
  DeviceError(DeviceFault fault, const DevicePlace& place, std::string_view detail);
  DeviceFault fault() const { return fault_; }
  const std::string& detail() const { return detail_; }
  /// This one if it names a model, else the same fault at `place`: a failed call knows neither model nor
  /// batch.
  DeviceError at(const DevicePlace& place) const;

 private:
  DeviceFault fault_;
  bool names_model_;
  std::string detail_;
};

/// The exception being handled, as callers of a device see it: inputs that an assembly refuses are of a wrong
/// shape, std::bad_alloc is memory that ran out, what nobody knows is a failed computation.
DeviceError caught_at(const DevicePlace& place);

// What a user is told of batch sizes that run without a CUDA graph.

/// Why a batch size has no graphs.
struct RefusedSize {
  int batch = 0;
  std::string why;
};

/// "batch 3 to 8 without a CUDA graph: WHY": a line for sizes that are neighbours in `sizes` and refused for
/// the same reason. `sizes` are all that were tried; both rise, and each refused size is one of them.
std::vector<std::string> graph_notes(std::span<const int> sizes, std::span<const RefusedSize> refused);

}  // namespace harness
