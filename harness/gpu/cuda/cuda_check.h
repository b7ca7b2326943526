// Every CUDA call of the project goes through cuda_check, so that a failure says which call failed and on
// which device.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "harness/gpu/device/device_error.h"

namespace harness {

/// Throws the DeviceError of a call that did not succeed: "device cuda:1: DETAIL", where the detail names the
/// call, CUDA's error and `attempted` ("reserving 64 bytes for inputs"). The device is the calling thread's
/// current one.
[[noreturn]] void fail_cuda(cudaError_t status, const char* call, std::string_view attempted);

/// Does nothing if `status` is cudaSuccess, else calls fail_cuda(). It costs a comparison.
inline void cuda_check(cudaError_t status, const char* call, std::string_view attempted) {
  if (status != cudaSuccess) [[unlikely]]
    fail_cuda(status, call, attempted);
}

/// Makes the device the calling thread's current one. Throws its DeviceError, which names it.
void set_cuda_device(int device, std::string_view attempted);

/// Returns what an error (not cudaSuccess) means for later calls: after kOutOfMemory the device is as it was;
/// kDeviceLost is for errors after which CUDA refuses everything else in this process (a bad address, a
/// failed launch, a fallen GPU); all others are kComputeFailed.
DeviceFault fault_of(cudaError_t status);

}  // namespace harness
