// The GPUs of this host, as CUDA shows them to this process.
#pragma once

#include <string>
#include <vector>

#include "harness/gpu/device/device_info.h"

namespace harness {

/// Returns why this process has no CUDA device ("no CUDA-capable device is detected"), or "" if it has one.
std::string why_no_cuda_device();

/// Returns all GPUs that this process sees, with descriptions; a GPU that the kernels are not compiled for
/// (compute capability below 8.0) is not usable. If it sees no GPU: one entry, "cuda", that says why in one
/// line.
std::vector<DeviceInfo> list_cuda_gpus();

/// Returns a GPU's name as devices use it: "cuda:1 NVIDIA H200". Throws InputError if this process has no
/// such GPU or cannot use it.
std::string cuda_gpu_name(int index);

}  // namespace harness
