// Every CUDA call of the project goes through cuda_check, so that a failure says what failed where.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/devices.h"

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

/// Makes the device the calling thread's current one. Throws its DeviceError, which names it.
void set_cuda_device(int device, std::string_view attempted);

/// What an error (not cudaSuccess) means for what comes after it: out of memory leaves the device as it was;
/// errors after which CUDA refuses everything else in this process (a bad address, a failed launch, a fallen
/// GPU) lose it.
DeviceFault fault_of(cudaError_t status);

/// Why this process has no CUDA device ("no CUDA-capable device is detected"), or "" when it has one.
std::string why_no_cuda_device();

// The GPUs of this host.

/// All GPUs that this process sees, with what they are; one that the kernels are not compiled for (compute
/// capability below 8.0) is not usable. Without any: one entry, "cuda", that says why in one line.
std::vector<DeviceInfo> list_cuda_gpus();

/// "cuda:1 NVIDIA H200": as devices call it. Throws InputError when this process has no such GPU.
std::string cuda_gpu_name(int index);

}  // namespace harness
