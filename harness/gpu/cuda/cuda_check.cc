#include "harness/gpu/cuda/cuda_check.h"

#include <string>
#include <utility>

namespace harness {

namespace {

[[noreturn]] void fail_at(std::string device, cudaError_t status, const char* call,
                          std::string_view attempted) {
  const std::string detail = std::string(call) + ": " + cudaGetErrorName(status) + " (" +
                             cudaGetErrorString(status) + ") when " + std::string(attempted);
  cudaGetLastError();  // clears an error that is not sticky, so that the next launch does not report it again
  throw DeviceError(fault_of(status), {std::move(device), "", 0}, detail);
}

}  // namespace

void fail_cuda(cudaError_t status, const char* call, std::string_view attempted) {
  int device = -1;
  const bool known = cudaGetDevice(&device) == cudaSuccess;
  fail_at(known ? "cuda:" + std::to_string(device) : "cuda", status, call, attempted);
}

void set_cuda_device(int device, std::string_view attempted) {
  const cudaError_t status = cudaSetDevice(device);
  if (status != cudaSuccess) fail_at("cuda:" + std::to_string(device), status, "cudaSetDevice", attempted);
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

}  // namespace harness
