#include "harness/gpu/device/device_module.h"

#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/gpu/torch/cpu_device.h"
#include "harness/gpu/torch/zoo/zoo.h"
#ifdef HARNESS_DEVICES_HAVE_NCCL
#include "harness/gpu/nccl/nccl_exchange.h"
#endif
#ifdef HARNESS_TORCH_CUDA
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/torch/cuda_device.h"
#endif

namespace harness {
namespace {

#ifdef HARNESS_TORCH_CUDA
std::unique_ptr<Device> make_gpu(const TorchDeviceOptions& options, int index, Device::Wake wake) {
  return make_torch_cuda_device(options, index, std::move(wake));
}

std::vector<DeviceInfo> gpus() { return list_cuda_gpus(); }
#else
constexpr const char* kNoCuda =
    "this build has no devices for CUDA: it needs nvcc and a LibTorch with CUDA (ci/setup --cuda)";

std::unique_ptr<Device> make_gpu(const TorchDeviceOptions&, int index, Device::Wake) {
  throw input_error({"", 0, "device"}, "cuda:" + std::to_string(index),
                    join_names(device_kinds_without(&DeviceTraits::needs_gpu)) + "; " + kNoCuda);
}

std::vector<DeviceInfo> gpus() { return {{DeviceKind::kCuda, name_of(DeviceKind::kCuda), false, kNoCuda}}; }
#endif

std::unique_ptr<Device> make(const DeviceSpec& spec, Device::Wake wake) {
  TorchDeviceOptions options;
  options.worker = spec.worker;
  options.threads = spec.threads;
  if (spec.kind == DeviceKind::kCuda) return make_gpu(options, spec.index, std::move(wake));
  HARNESS_CHECK(spec.kind == DeviceKind::kCpu, "a kind that is not in this module");
  return make_torch_cpu_device(std::move(options), std::move(wake));
}

std::vector<ModelInfo> models() {
  std::vector<ModelInfo> infos;
  for (const ZooModel& model : zoo())
    infos.push_back({model.name, model.parameters, model.input.height, model.input.width, model.exit_points,
                     model.source, model.rebuilt});
  return infos;
}

#ifdef HARNESS_DEVICES_HAVE_NCCL
constexpr DeviceModule kModule = {HARNESS_TORCH_LIBRARIES, make, gpus, models, make_nccl_exchange,
                                  make_nccl_channel_id};
#else
constexpr DeviceModule kModule = {HARNESS_TORCH_LIBRARIES, make, gpus, models};
#endif

}  // namespace
}  // namespace harness

extern "C" __attribute__((visibility("default"))) const harness::DeviceModule* harness_device_module() {
  return &harness::kModule;
}
