#include "harness/gpu/torch/cuda_error.h"

namespace harness {

DeviceError from_torch_cuda(const c10::Error& error, const DevicePlace& place) {
  cudaGetLastError();
  // What LibTorch says may be of cuDNN or cuBLAS; a lost device answers every call with its own error.
  const cudaError_t state = cudaStreamQuery(cudaStreamPerThread);
  cudaGetLastError();
  if (state != cudaSuccess && state != cudaErrorNotReady && fault_of(state) == DeviceFault::kDeviceLost)
    return {DeviceFault::kDeviceLost, place, error.what_without_backtrace()};
  if (const auto* const failed = dynamic_cast<const c10::AcceleratorError*>(&error))
    return from_torch(error, place, fault_of(static_cast<cudaError_t>(failed->get_error_code())));
  return from_torch(error, place);
}

}  // namespace harness
