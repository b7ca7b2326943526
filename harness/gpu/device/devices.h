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

// The names and the list of devices.

/// The description of one device.
struct DeviceSpec {
  std::string kind = "cpu";  ///< kind: "cpu", "cuda" or "null"
  int index = 0;             ///< cuda: number of the GPU on this host
  int threads = 1;           ///< cpu: number of threads that compute one batch together
  int worker = -1;  ///< number of the cell's worker that it serves, for its name; -1: it serves no worker

  bool operator==(const DeviceSpec&) const = default;
};

/// Returns "cpu (worker 3)"; without a worker the device's name alone.
inline std::string with_worker(const std::string& device, int worker) {
  return worker < 0 ? device : device + " (worker " + std::to_string(worker) + ")";
}

/// A kind of device, or a device, as `harness list devices` shows it.
struct DeviceInfo {
  std::string name;         ///< name: "cpu", "cuda:0"
  bool is_usable = false;   ///< true if make_device() accepts it
  std::string description;  ///< description of the device, or the reason why it is not there
  std::string bus_id{};     ///< PCI address of a GPU: "0000:1A:00.0"
};

// A model of the zoo, as `harness list models` shows it.

struct ModelInfo {
  std::string name;
  std::int64_t parameters = 0;
  int input_height = 0;  ///< height of the images that it takes; others are resized to it
  int input_width = 0;
  int exit_points = 0;  ///< number of exit points in SHEPHERD's Table 4; 0: it is not in the table
  std::string source;   ///< publisher of the count of parameters, and the network that was counted
  std::string notes;    ///< remarks on what is unusual about it; "" if nothing
};

/// Parses "cpu", "null", "cuda" or "cuda:1". Throws InputError, with `key` as the place, for any other text.
DeviceSpec parse_device(const std::string& text, const std::string& key);

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

// Devices that need large libraries are in a module of their own, which is loaded when the first of them is
// asked for: LibTorch alone costs each process 0.4 s and 160 MB at its start, and most processes run no
// model.

/// The functions of the module of LibTorch's devices. The module stays loaded to the end of the process.
struct DeviceModule {
  const char* libraries = "";  ///< versions of the libraries: "LibTorch 2.11.0, CUDA 13.0.48"
  /// Does what make_device() does, for the kinds "cpu" and "cuda".
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
