// The devices of this build by name: the one place that knows which kinds there are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device.h"
#include "harness/gpu/device_spec.h"
#include "harness/gpu/model_info.h"

namespace harness {

/// "cpu", "null", "cuda", "cuda:1". Throws InputError, with `key` as the place, when it is none of these.
DeviceSpec parse_device(const std::string& text, const std::string& key);

/// Makes the device; `wake` as in Device. Throws InputError when this build has no devices of that kind,
/// saying what it needs, DeviceError when the device cannot be had, EnvironmentError when the libraries that
/// it needs cannot be loaded.
std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake);

/// Throws InputError, with `key` as the place, when no device of `spec`'s kind can load the model: a name
/// that is not in the zoo, a file that is not there. EnvironmentError as make_device().
void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key);

/// All kinds, and all devices of kinds that have several.
std::vector<DeviceInfo> list_devices();

/// The models that devices of this build load without a file; none without LibTorch.
std::vector<ModelInfo> list_models();
std::vector<std::string> zoo_model_names();

/// "LibTorch 2.11.0, CUDA 13.0.48"; "" in a build without it.
std::string execution_libraries();

}  // namespace harness
