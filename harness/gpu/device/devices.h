// The devices of this build by name: what there is, and the making of a device of any kind.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_info.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/model_info.h"
#include "harness/gpu/device/model_source.h"

namespace harness {

/// Makes the device; `wake` is a Device::Wake. Throws InputError if this build has no devices of that kind,
/// and says what it needs; throws DeviceError if the device is not available, EnvironmentError if the
/// libraries that it needs cannot be loaded.
std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake);

/// Throws InputError, with `key` as the place, if no device of `spec`'s kind can load the model: its name is
/// not in the zoo, or its file does not exist. Throws EnvironmentError like make_device().
void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key);

/// Returns an entry for each kind of device; a kind with several devices has an entry for each of them.
std::vector<DeviceInfo> list_devices();

/// Returns the models that devices of this build load without a file; empty without LibTorch.
std::vector<ModelInfo> list_models();
std::vector<std::string> zoo_model_names();

/// Returns "LibTorch 2.11.0, CUDA 13.0.48"; "" in a build without LibTorch.
std::string execution_libraries();

}  // namespace harness
