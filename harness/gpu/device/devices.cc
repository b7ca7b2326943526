#include "harness/gpu/device/devices.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/core/wording.h"
#include "harness/gpu/device/device_module.h"
#include "harness/gpu/device/null_device.h"
#include "harness/machine/cpu_facts.h"

namespace harness {
namespace {

constexpr const char* kNoTorch = "this build has no LibTorch (install it, then run cmake again)";
constexpr const char* kNoCuda = "this build has no devices for CUDA";

/// The functions that list and make the devices of a kind.
struct DeviceMaker {
  /// Returns the devices, or one entry whose description says in one line why no device can be used.
  std::vector<DeviceInfo> (*list)();
  std::unique_ptr<Device> (*make)(const DeviceSpec& spec, Device::Wake wake);
};

std::vector<DeviceInfo> list_cpu() {
  const CpuFacts facts = read_cpu_facts();
  const std::string what = facts.model + ", " + counted(facts.processors, "processor") + "; ";
  try {
    const DeviceModule* const module = device_module();
    const std::string libraries = module == nullptr ? kNoTorch : module->libraries;
    return {{DeviceKind::kCpu, name_of(DeviceKind::kCpu), module != nullptr, what + libraries}};
  } catch (const EnvironmentError& error) {
    return {{DeviceKind::kCpu, name_of(DeviceKind::kCpu), false, what + error.what()}};
  }
}

std::vector<DeviceInfo> list_cuda() {
  std::string why = kNoCuda;
  try {
    if (const DeviceModule* const module = device_module()) return module->gpus();
  } catch (const EnvironmentError& error) {
    why = error.what();
  }
  return {{DeviceKind::kCuda, name_of(DeviceKind::kCuda), false, why}};
}

std::vector<DeviceInfo> list_null() {
  return {{DeviceKind::kNull, name_of(DeviceKind::kNull), true,
           "computes nothing and ends each batch at once: what is left is the harness's own time"}};
}

std::unique_ptr<Device> make_null(const DeviceSpec& spec, Device::Wake wake) {
  return std::make_unique<NullDevice>(std::move(wake), with_worker(name_of(spec.kind), spec.worker));
}

std::unique_ptr<Device> make_in_module(const DeviceSpec& spec, Device::Wake wake) {
  const DeviceModule* const module = device_module();
  if (module == nullptr)
    throw input_error({"", 0, "device"}, name_of(spec.kind),
                      join_names(device_kinds_without(&DeviceTraits::needs_torch)) + "; " + kNoTorch);
  return module->make(spec, std::move(wake));
}

/// The makers, in the order of kDeviceKinds.
constexpr DeviceMaker kMakers[] = {
    {list_cpu, make_in_module}, {list_cuda, make_in_module}, {list_null, make_null}};
static_assert(std::size(kMakers) == std::size(kDeviceKinds));

}  // namespace

std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake) {
  return kMakers[static_cast<std::size_t>(spec.kind)].make(spec, std::move(wake));
}

void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key) {
  if (!traits_of(spec.kind).computes) return;
  if (!source.file.empty()) {
    const InputFile opened(source.file, "a model that torch.jit.save has written");
    return;
  }
  const std::vector<std::string> names = zoo_model_names();
  if (names.empty() || std::find(names.begin(), names.end(), source.model) != names.end()) return;
  const std::string near = nearest_name(source.model, names);
  throw input_error({"", 0, key}, "'" + source.model + "'",
                    join_names(names) + (near.empty() ? "" : " (did you mean " + near + "?)"));
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> infos;
  for (const DeviceMaker& maker : kMakers) {
    for (DeviceInfo& info : maker.list()) infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<ModelInfo> list_models() {
  const DeviceModule* const module = device_module();
  return module == nullptr ? std::vector<ModelInfo>() : module->models();
}

std::vector<std::string> zoo_model_names() {
  std::vector<std::string> names;
  for (const ModelInfo& model : list_models()) names.push_back(model.name);
  return names;
}

std::string execution_libraries() {
  const DeviceModule* const module = device_module();
  return module == nullptr ? "" : module->libraries;
}

}  // namespace harness
