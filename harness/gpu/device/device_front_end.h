// The bookkeeping that all devices share: checks of what they are given, handles of models, ends of batches.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/model_source.h"

namespace harness {

/// The models that a device has loaded and the batches that are outstanding there. Only the device's one
/// caller uses it, except that any thread may call push().
class DeviceFrontEnd {
 public:
  /// push() calls `wake`, on its own thread, if no end was waiting: once for all ends that come until the
  /// next take().
  DeviceFrontEnd(std::string device, Device::Wake wake)
      : device_(std::move(device)), wake_(std::move(wake)) {}

  const std::string& device() const { return device_; }

  /// Throws DeviceError if `source` fits no model: a max_batch below 1, `batches` that do not rise or lie
  /// outside 1 to max_batch, exit points below kAllExitPoints, input sizes that are neither both positive nor
  /// both 0.
  void check(const ModelSource& source) const;
  /// Adds a loaded model with the number of exit points that it runs with, and returns its handle.
  DeviceModel add(const ModelSource& source, int exit_points);
  /// Returns the number of models that were added.
  std::size_t models() const { return sources_.size(); }
  int exit_points(DeviceModel model) const { return sources_.at(model).exit_points; }

  /// Returns the place that errors of this model and batch size name; a handle without a model is named by
  /// its number.
  DevicePlace place(DeviceModel model, std::size_t batch) const;
  DevicePlace place(const ModelSource& source) const;

  /// Records a submitted batch, or throws as described at Device::submit().
  void admit(std::uint64_t tag, DeviceModel model, std::span<const Image> images);
  /// Records the end of a batch. Any thread may call it.
  void push(BatchEnd end);
  /// Implements Device::take(): appends all ends that were pushed, in the order of pushing.
  bool take(std::vector<BatchEnd>& ended);

 private:
  std::string device_;
  std::vector<ModelSource> sources_;  ///< loaded models, by DeviceModel
  std::vector<std::uint64_t> outstanding_;
  Device::Wake wake_;
  std::mutex mutex_;  ///< guards ended_
  std::vector<BatchEnd> ended_;
};

}  // namespace harness
