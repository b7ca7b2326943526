#include "harness/gpu/torch/cuda_device.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/core/Device.h>
#include <c10/cuda/CUDAGuard.h>

#include <mutex>
#include <utility>

#include "harness/gpu/cuda/cuda_engine.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/cuda/cuda_model.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/torch/cuda_error.h"
#include "harness/gpu/torch/cuda_segments.h"
#include "harness/gpu/torch/graph_pool.h"
#include "harness/gpu/torch/model_factory.h"

namespace harness {
namespace {

std::mutex engines_mutex;
int engines = 0;  ///< number of engines in this process

/// The memory that LibTorch keeps for cuBLAS, by stream and for good (32 MiB on recent GPUs). Only the
/// process's last engine gives it back, since graphs of other engines refer to it.
struct Workspaces {
  Workspaces() {
    const std::lock_guard lock(engines_mutex);
    ++engines;
  }
  ~Workspaces() {
    const std::lock_guard lock(engines_mutex);
    if (--engines == 0) at::cuda::clearCublasWorkspaces();
  }
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
};

c10::cuda::CUDAStream torch_stream(const CudaStream& stream, c10::DeviceIndex device) {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return c10::cuda::getStreamFromExternal(stream.get(), device);
}

/// The source of LibTorch's models on one GPU. It makes the engine's stream LibTorch's current stream in this
/// thread.
class TorchCudaModels final : public CudaModels {
 public:
  TorchCudaModels(const TorchDeviceOptions& options, const DevicePlace& here, c10::DeviceIndex index,
                  CudaStream& compute)
      : models_(options.models),
        graphs_(options.graphs),
        index_(index),
        compute_(compute),
        guard_(with_torch_cuda_errors(here, [&] { return torch_stream(compute, index); })),
        pool_(index) {}

  std::unique_ptr<CudaModel> load(const ModelSource& source, const DevicePlace& place) override {
    return with_torch_cuda_errors(place, [&]() -> std::unique_ptr<CudaModel> {
      return std::make_unique<CudaSegments>(models_(source, place), source, place,
                                            CudaSegments::Resources{compute_, pool_, index_, graphs_});
    });
  }

 private:
  ModelFactory models_;
  bool graphs_;
  c10::DeviceIndex index_;
  CudaStream& compute_;
  c10::cuda::CUDAStreamGuard guard_;
  GraphPool pool_;
  Workspaces workspaces_;  ///< memory of cuBLAS; it goes before the pool, which gives back unused memory
};

}  // namespace

std::unique_ptr<StreamDevice> make_torch_cuda_device(TorchDeviceOptions options, int index,
                                                     Device::Wake wake) {
  const std::string gpu = cuda_gpu_name(index);
  const auto torch_index = static_cast<c10::DeviceIndex>(index);
  if (!options.models) {
    options.models = [torch_index](const ModelSource& source, const DevicePlace& place) {
      return make_staged_model(source, place, c10::Device(c10::kCUDA, torch_index));
    };
  }
  const std::string name = with_worker(options.name.empty() ? gpu : options.name, options.worker);
  const auto models = [options, name, torch_index](CudaStream& compute) {
    return std::make_unique<TorchCudaModels>(options, DevicePlace{name, "", 0}, torch_index, compute);
  };
  const auto make = [models, on_output = options.on_output, index] {
    return std::make_unique<CudaEngine>(index, models, on_output);
  };
  return std::make_unique<StreamDevice>(name, make, std::move(wake));
}

}  // namespace harness
