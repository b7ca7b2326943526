// Devices that need large libraries stand in a module, which is loaded when the first of them is asked for:
// LibTorch alone costs each process 0.4 s and 160 MB at its start, and most processes run no model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/exchange/device_exchange.h"

namespace harness {

/// What the module of LibTorch's devices offers; it stays loaded to the end of the process.
struct DeviceModule {
  const char* libraries = "";  ///< "LibTorch 2.11.0, CUDA 13.0.48"
  /// As make_device(), for the kinds "cpu" and "cuda".
  std::unique_ptr<Device> (*make)(const DeviceSpec& spec, Device::Wake wake) = nullptr;
  /// CUDA's devices, or one entry that says in a line why there are none.
  std::vector<DeviceInfo> (*gpus)() = nullptr;
  /// The models that are loaded without a file.
  std::vector<ModelInfo> (*models)() = nullptr;
  /// Tensors between GPUs of different ranks (nccl_exchange.h); null in a build without NCCL.
  DeviceExchange (*make_exchange)(int device, WorkerId self, std::function<void()> wake) = nullptr;
  std::vector<std::byte> (*make_channel_id)() = nullptr;
};

/// The function that the module exports, and its type.
inline constexpr const char* kDeviceModuleSymbol = "harness_device_module";
using DeviceModuleFunction = const DeviceModule*();

/// The module's file; "" in a build without LibTorch.
std::string device_module_file();

/// The module; nullptr in a build without it. Throws EnvironmentError when it is there and cannot be loaded.
/// Any thread.
const DeviceModule* device_module();

}  // namespace harness
