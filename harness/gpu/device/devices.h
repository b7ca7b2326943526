// The devices of this build by name: the one place that knows which kinds there are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/exchange/device_exchange.h"

namespace harness {

// Devices as they are named and listed.

/// One device.
struct DeviceSpec {
  std::string kind = "cpu";  ///< "cpu", "cuda" or "null"
  int index = 0;             ///< cuda: the GPU's number on this host
  int threads = 1;           ///< cpu: that compute one batch together
  int worker = -1;           ///< of the cell that it serves, for its name; -1: of none

  bool operator==(const DeviceSpec&) const = default;
};

/// "cpu (worker 3)"; without a worker the device's name alone.
inline std::string with_worker(const std::string& device, int worker) {
  return worker < 0 ? device : device + " (worker " + std::to_string(worker) + ")";
}

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda:0"
  bool is_usable = false;   ///< make_device() takes it
  std::string description;  ///< what it is, or why it is not there
  std::string bus_id{};     ///< of a GPU, "0000:1A:00.0"
};

// A model of the zoo, as `harness list models` shows it.

struct ModelInfo {
  std::string name;
  std::int64_t parameters = 0;
  int input_height = 0;  ///< of the images that it takes; those sent are resized to them
  int input_width = 0;
  int exit_points = 0;  ///< SHEPHERD's Table 4; 0: not in it
  std::string source;   ///< who published the count of parameters, and of what
  std::string notes;    ///< what is unusual about it; "" if nothing
};

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

// Devices that need large libraries stand in a module, which is loaded when the first of them is asked for:
// LibTorch alone costs each process 0.4 s and 160 MB at its start, and most processes run no model.

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

/// The module's file: in the folder `lib` beside that of the running program, or beside one above it, so that
/// programs and module move together. "" in a build without LibTorch.
std::string device_module_file();

/// The module; nullptr in a build without it. Throws EnvironmentError when it is there and cannot be loaded.
/// Any thread.
const DeviceModule* device_module();

}  // namespace harness
