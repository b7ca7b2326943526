#include "harness/gpu/torch/cpu_device.h"

#include <utility>

#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/stream_device.h"
#include "harness/gpu/torch/cpu_engine.h"
#include "harness/gpu/torch/model_factory.h"

namespace harness {

std::unique_ptr<Device> make_torch_cpu_device(TorchDeviceOptions options, Device::Wake wake) {
  if (!options.models) {
    options.models = [](const ModelSource& source, const DevicePlace& place) {
      return make_staged_model(source, place);
    };
  }
  std::string name =
      with_worker(options.name.empty() ? name_of(DeviceKind::kCpu) : options.name, options.worker);
  const auto make = [options = std::move(options)] { return std::make_unique<CpuEngine>(options); };
  return std::make_unique<StreamDevice>(std::move(name), make, std::move(wake));
}

}  // namespace harness
