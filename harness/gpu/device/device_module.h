// The devices that need large libraries are in a module of their own, which is loaded when the first of them
// is asked for: LibTorch alone costs each process 0.4 s and 160 MB at its start, and most processes run no
// model.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_info.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/model_info.h"
#include "harness/gpu/exchange/device_exchange.h"

namespace harness {

/// The functions of the module of LibTorch's devices. The module stays loaded to the end of the process.
struct DeviceModule {
  const char* libraries = "";  ///< versions of the libraries: "LibTorch 2.11.0, CUDA 13.0.48"
  /// Does what make_device() does, for the kinds that need LibTorch.
  std::unique_ptr<Device> (*make)(const DeviceSpec& spec, Device::Wake wake) = nullptr;
  /// Returns CUDA's devices, or one entry whose description says in one line why there is no device.
  std::vector<DeviceInfo> (*gpus)() = nullptr;
  /// Returns the models that are loaded without a file.
  std::vector<ModelInfo> (*models)() = nullptr;
  /// Makes an exchange of tensors between GPUs of different ranks (nccl_exchange.h); null in a build without
  /// NCCL.
  DeviceExchange (*make_exchange)(int device, WorkerId self, std::function<void()> wake) = nullptr;
  std::vector<std::byte> (*make_channel_id)() = nullptr;
};

/// The name of the function that the module exports, and its type.
inline constexpr const char* kDeviceModuleSymbol = "harness_device_module";
using DeviceModuleFunction = const DeviceModule*();

/// Returns the module's file, which is in the folder `lib` beside the running program's folder, or beside a
/// folder above it, so that programs and module can be moved together. "" in a build without LibTorch.
std::string device_module_file();

/// Returns the module; nullptr in a build without it. Throws EnvironmentError if it exists and cannot be
/// loaded. Any thread may call it.
const DeviceModule* device_module();

}  // namespace harness
