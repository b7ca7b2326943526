// Every CUDA call of the project goes through cuda_check, so that a failure says what failed where.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "harness/gpu/device/device_error.h"

namespace harness {

/// Throws the DeviceError of a call that did not succeed: "device cuda:1: DETAIL", where the detail names the
/// call, CUDA's error and `attempted` ("reserving 64 bytes for inputs"). The device is this thread's current
/// one.
[[noreturn]] void fail_cuda(cudaError_t status, const char* call, std::string_view attempted);

/// Passes when `status` is cudaSuccess, else fails as fail_cuda. Costs a comparison.
inline void cuda_check(cudaError_t status, const char* call, std::string_view attempted) {
  if (status != cudaSuccess) [[unlikely]]
    fail_cuda(status, call, attempted);
}

/// What an error (not cudaSuccess) means for what comes after it: out of memory leaves the device as it was;
/// errors after which CUDA refuses everything else in this process (a bad address, a failed launch, a fallen
/// GPU) lose it.
DeviceFault fault_of(cudaError_t status);

/// Why this process has no CUDA device ("no CUDA-capable device is detected"), or "" when it has one.
std::string why_no_cuda_device();

}  // namespace harness
