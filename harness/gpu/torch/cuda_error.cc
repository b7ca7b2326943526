#include "harness/gpu/torch/cuda_error.h"

#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

/// True if the device answers every call with an error of its own; LibTorch's error may be one of cuDNN or
/// cuBLAS.
bool is_lost() {
  cudaGetLastError();
  const cudaError_t state = cudaStreamQuery(cudaStreamPerThread);
  cudaGetLastError();
  return state != cudaSuccess && state != cudaErrorNotReady && fault_of(state) == DeviceFault::kDeviceLost;
}

}  // namespace

DeviceError from_torch_cuda(const c10::Error& error, const DevicePlace& place) {
  if (is_lost()) return {DeviceFault::kDeviceLost, place, error.what_without_backtrace()};
  if (const auto* const failed = dynamic_cast<const c10::AcceleratorError*>(&error))
    return from_torch(error, place, fault_of(static_cast<cudaError_t>(failed->get_error_code())));
  return from_torch(error, place);
}

DeviceError from_torchscript_cuda(const std::runtime_error& error, const DevicePlace& place) {
  const DeviceError told = from_torchscript(error, place);
  return is_lost() ? DeviceError(DeviceFault::kDeviceLost, place, told.detail()) : told;
}

}  // namespace harness
