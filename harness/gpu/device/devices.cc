#include "harness/gpu/device/devices.h"

#include <algorithm>
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

DeviceInfo cpu_info() {
  const CpuFacts facts = read_cpu_facts();
  const std::string what = facts.model + ", " + counted(facts.processors, "processor") + "; ";
  try {
    const DeviceModule* const module = device_module();
    return {"cpu", module != nullptr, what + (module == nullptr ? kNoTorch : module->libraries)};
  } catch (const EnvironmentError& error) {
    return {"cpu", false, what + error.what()};
  }
}

/// Returns the GPUs, or one entry whose description says in one line why no GPU can be used.
std::vector<DeviceInfo> cuda_infos() {
  try {
    const DeviceModule* const module = device_module();
    return module == nullptr ? std::vector<DeviceInfo>{{"cuda", false, kNoCuda}} : module->gpus();
  } catch (const EnvironmentError& error) {
    return {{"cuda", false, error.what()}};
  }
}

}  // namespace

std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake) {
  if (spec.kind == "null")
    return std::make_unique<NullDevice>(std::move(wake), with_worker("null", spec.worker));
  const DeviceModule* const module = device_module();
  if (module == nullptr) throw input_error({"", 0, "device"}, spec.kind, std::string("null; ") + kNoTorch);
  return module->make(spec, std::move(wake));
}

void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key) {
  if (spec.kind == "null") return;
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
  std::vector<DeviceInfo> infos = {cpu_info()};
  for (DeviceInfo& info : cuda_infos()) infos.push_back(std::move(info));
  infos.push_back(
      {"null", true, "computes nothing and ends each batch at once: what is left is the harness's own time"});
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
