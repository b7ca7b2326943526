// The GPUs of this host.
#pragma once

#include <string>
#include <vector>

#include "harness/gpu/device/devices.h"

namespace harness {

/// All GPUs that this process sees, with what they are; one that the kernels are not compiled for (compute
/// capability below 8.0) is not usable. Without any: one entry, "cuda", that says why in one line.
std::vector<DeviceInfo> list_cuda_gpus();

/// "cuda:1 NVIDIA H200": as devices call it. Throws InputError when this process has no such GPU.
std::string cuda_gpu_name(int index);

}  // namespace harness
