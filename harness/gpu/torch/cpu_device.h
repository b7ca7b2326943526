// A device that runs networks by LibTorch on processor cores. It includes no header of LibTorch.
#pragma once

#include <memory>

#include "harness/gpu/device/device.h"
#include "harness/gpu/torch/torch_device_options.h"

namespace harness {

/// Makes a device that computes on the CPU, in a thread of its own, and in no more than `threads` at a time.
std::unique_ptr<Device> make_torch_cpu_device(TorchDeviceOptions options, Device::Wake wake);

}  // namespace harness
