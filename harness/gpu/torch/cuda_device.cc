#include <c10/core/Device.h>

#include <utility>

#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/torch/cuda_engine.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/torch_device.h"

namespace harness {

std::unique_ptr<StreamDevice> make_torch_cuda_device(TorchDeviceOptions options, int index,
                                                     Device::Wake wake) {
  const std::string gpu = cuda_gpu_name(index);
  if (!options.models) {
    options.models = [index](const ModelSource& source, const DevicePlace& place) {
      const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
      return make_staged_model(source, place, device);
    };
  }
  const std::string name = with_worker(options.name.empty() ? gpu : options.name, options.worker);
  const auto make = [options, name, index] { return std::make_unique<CudaEngine>(options, name, index); };
  return std::make_unique<StreamDevice>(name, make, std::move(wake));
}

}  // namespace harness
