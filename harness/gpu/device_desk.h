// What every device does with what it is given, before it runs anything: checks, and handles of models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// The models that a device has loaded and the batches that are outstanding there. Used by the device's one
/// caller.
class DeviceDesk {
 public:
  explicit DeviceDesk(std::string device) : device_(std::move(device)) {}

  const std::string& device() const { return device_; }

  /// Throws DeviceError when `source` asks for what no model has: batches below 1, exit points below
  /// kAllExitPoints, half an input size.
  void check(const ModelSource& source) const;
  /// A model that has been loaded.
  DeviceModel add(const ModelSource& source);
  /// How many add() has had.
  std::size_t models() const { return sources_.size(); }

  /// Where a fault of this model with such a batch happens; any number that is no model's is named as such.
  DevicePlace place(DeviceModel model, std::size_t batch) const;
  DevicePlace place(const ModelSource& source) const;

  /// Takes note of a batch, or throws as Device::submit().
  void admit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures);
  /// Notes that the caller was told of these ends.
  void release(std::span<const BatchEnd> ended);

 private:
  std::string device_;
  std::vector<ModelSource> sources_;  ///< by DeviceModel
  std::vector<std::uint64_t> outstanding_;
};

}  // namespace harness
