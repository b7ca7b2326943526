// Every CUDA call of the project goes through cuda_check, so that a failure says which call failed and on
// which device.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/devices.h"

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

/// Returns why this process has no CUDA device ("no CUDA-capable device is detected"), or "" if it has one.
std::string why_no_cuda_device();

// The GPUs of this host.

/// Returns all GPUs that this process sees, with descriptions; a GPU that the kernels are not compiled for
/// (compute capability below 8.0) is not usable. If it sees no GPU: one entry, "cuda", that says why in one
/// line.
std::vector<DeviceInfo> list_cuda_gpus();

/// Returns a GPU's name as devices use it: "cuda:1 NVIDIA H200". Throws InputError if this process has no
/// such GPU or cannot use it.
std::string cuda_gpu_name(int index);

}  // namespace harness
