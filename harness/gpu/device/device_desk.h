// What every device does with what it is given and gives back: checks, handles of models, ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/device.h"

namespace harness {

/// The models that a device has loaded and the batches that are outstanding there. Used by the device's one
/// caller, but for push().
class DeviceDesk {
 public:
  /// `wake` is called by push(), on its thread, when something stands here after nothing did: once for all
  /// that comes until the next take().
  DeviceDesk(std::string device, Device::Wake wake) : device_(std::move(device)), wake_(std::move(wake)) {}

  const std::string& device() const { return device_; }

  /// Throws DeviceError when `source` asks for what no model has: batches below 1, exit points below
  /// kAllExitPoints, half an input size.
  void check(const ModelSource& source) const;
  /// A model that has been loaded, and the exit points that it runs with.
  DeviceModel add(const ModelSource& source, int exit_points);
  /// How many add() has had.
  std::size_t models() const { return sources_.size(); }
  int exit_points(DeviceModel model) const { return sources_.at(model).exit_points; }

  /// Where a fault of this model with such a batch happens; any number that is no model's is named as such.
  DevicePlace place(DeviceModel model, std::size_t batch) const;
  DevicePlace place(const ModelSource& source) const;

  /// Takes note of a batch, or throws as Device::submit().
  void admit(std::uint64_t tag, DeviceModel model, std::span<const Image> images);
  /// A batch has ended. Any thread.
  void push(BatchEnd end);
  /// As Device::take(): all that was pushed, in the order of pushing.
  bool take(std::vector<BatchEnd>& ended);

 private:
  std::string device_;
  std::vector<ModelSource> sources_;  ///< by DeviceModel
  std::vector<std::uint64_t> outstanding_;
  Device::Wake wake_;
  std::mutex mutex_;  ///< of the ends
  std::vector<BatchEnd> ended_;
};

}  // namespace harness
