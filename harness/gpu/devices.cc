#include "harness/gpu/devices.h"

#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/core/error.h"
#include "harness/gpu/cpu_facts.h"
#include "harness/gpu/null_device.h"
#ifdef HARNESS_TORCH_VERSION
#include "harness/gpu/torch/torch_device.h"
#include "harness/gpu/torch/zoo/zoo.h"
#endif

namespace harness {
namespace {

constexpr const char* kNoTorch = "this build has no LibTorch (install it, then run cmake again)";
constexpr const char* kNoCuda = "this build has no devices for CUDA";

std::string cpu_description() {
  const CpuFacts facts = read_cpu_facts();
  return facts.model + ", " + std::to_string(facts.processors) + " processors";
}

#ifdef HARNESS_TORCH_VERSION
std::unique_ptr<Device> make_cpu_device(const DeviceSpec& spec, Device::Wake&& wake) {
  TorchDeviceOptions options;
  if (spec.index > 0) options.name += std::to_string(spec.index);
  options.threads = spec.threads;
  return make_torch_cpu_device(std::move(options), std::move(wake));
}

void check_zoo_model(const std::string& model, const std::string& key) {
  if (find_zoo_model(model) == nullptr)
    throw input_error({"", 0, key}, "'" + model + "'", unknown_zoo_model(model));
}

DeviceInfo cpu_info() { return {"cpu", true, cpu_description() + "; " + execution_libraries()}; }
#else
std::unique_ptr<Device> make_cpu_device(const DeviceSpec&, Device::Wake&&) {
  throw input_error({"", 0, "device"}, "cpu", std::string("null; ") + kNoTorch);
}

void check_zoo_model(const std::string&, const std::string&) {}

DeviceInfo cpu_info() { return {"cpu", false, cpu_description() + "; " + kNoTorch}; }
#endif

}  // namespace

DeviceSpec parse_device(const std::string& text, const std::string& key) {
  DeviceSpec spec;
  const std::size_t colon = text.find(':');
  spec.kind = text.substr(0, colon);
  bool good = spec.kind == "cpu" || spec.kind == "null" || spec.kind == "cuda";
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, spec.index);
    good = good && spec.kind == "cuda" && error == std::errc() && stop == end && spec.index >= 0;
  }
  if (!good) throw input_error({"", 0, key}, "'" + text + "'", "cpu, cuda:N (N = 0, 1, ...) or null");
  return spec;
}

std::unique_ptr<Device> make_device(const DeviceSpec& spec, std::function<void()> wake) {
  if (spec.kind == "null") return std::make_unique<NullDevice>(std::move(wake));
  if (spec.kind == "cpu") return make_cpu_device(spec, std::move(wake));
  throw input_error({"", 0, "device"}, spec.kind, std::string("cpu, null; ") + kNoCuda);
}

void check_model(const DeviceSpec& spec, const ModelSource& source, const std::string& key) {
  if (spec.kind == "null") return;
  if (source.file.empty()) return check_zoo_model(source.model, key);
  std::error_code error;
  if (!std::filesystem::is_regular_file(source.file, error))
    throw input_error({source.file, 0, ""}, "no such file", "a model that torch.jit.save has written");
}

std::vector<DeviceInfo> list_devices() {
  return {
      cpu_info(),
      {"cuda", false, kNoCuda},
      {"null", true, "computes nothing and ends each batch at once: what is left is the harness's own time"}};
}

std::vector<std::string> zoo_model_names() {
  std::vector<std::string> names;
#ifdef HARNESS_TORCH_VERSION
  for (const ZooModel& model : zoo_models()) names.emplace_back(model.name);
#endif
  return names;
}

std::string execution_libraries() {
#ifdef HARNESS_TORCH_VERSION
  return "LibTorch " HARNESS_TORCH_VERSION;
#else
  return "";
#endif
}

}  // namespace harness
