#include "harness/gpu/cuda/cuda_check.h"

namespace harness {

void fail_cuda(cudaError_t status, const char* call, std::string_view attempted) {
  int device = -1;
  const bool known = cudaGetDevice(&device) == cudaSuccess;
  DevicePlace place;
  place.device = known ? "cuda:" + std::to_string(device) : "cuda";
  const std::string detail = std::string(call) + ": " + cudaGetErrorName(status) + " (" +
                             cudaGetErrorString(status) + ") when " + std::string(attempted);
  cudaGetLastError();  // clears what is not sticky, so that the next launch does not report it again
  throw DeviceError(fault_of(status), place, detail);
}

DeviceFault fault_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return DeviceFault::kOutOfMemory;
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice:
    case cudaErrorMpsClientTerminated:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorCudartUnloading:
    case cudaErrorUnknown:
      return DeviceFault::kDeviceLost;
    default:
      return DeviceFault::kComputeFailed;
  }
}

std::string why_no_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return cudaGetErrorString(status);
  }
  return count > 0 ? "" : "the driver shows no device";
}

}  // namespace harness
