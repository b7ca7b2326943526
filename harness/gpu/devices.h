// The devices of this build by name: the one place that knows which kinds there are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// One device.
struct DeviceSpec {
  std::string kind = "cpu";  ///< "cpu", "cuda" or "null"
  int index = 0;             ///< cuda: the GPU's number on this host; cpu: tells several of them apart
  int threads = 1;           ///< cpu: that compute one batch together
};

/// "cpu", "null", "cuda", "cuda:1". Throws InputError, with `key` as the place, when it is none of these.
DeviceSpec parse_device(const std::string& text, const std::string& key);

/// Makes the device; `wake` as in Device. Throws InputError when this build has no devices of that kind,
/// saying what it needs, DeviceError when the device cannot be had.
std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake);

/// Throws InputError when the model is one that no device of `spec`'s kind can load: not in the zoo, a file
/// that is not there. "" as the place's key where `key` is.
void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key);

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda:0"
  bool is_usable = false;   ///< make_device() takes it
  std::string description;  ///< what it is, or why it is not there
};
std::vector<DeviceInfo> list_devices();

/// Names of the models that devices of this build load without a file; none without LibTorch.
std::vector<std::string> zoo_model_names();

/// "LibTorch 1.13.0"; "" in a build without it.
std::string execution_libraries();

}  // namespace harness
