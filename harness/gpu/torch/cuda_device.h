// A device that runs networks by LibTorch on a GPU. It includes no header of LibTorch or of CUDA.
#pragma once

#include <memory>

#include "harness/gpu/device/stream_device.h"
#include "harness/gpu/torch/torch_device_options.h"

namespace harness {

/// Makes a device of the GPU with this number. Batches go through LibTorch on a stream of the device's own,
/// each as one CUDA graph for its model and size, or as a chain of graphs from exit point to exit point; if
/// capturing fails, call by call (notes() says so). Inputs are copied on a second stream meanwhile.
/// Convolutions are in the precision that LibTorch has by default (TF32). `models` may make its weights on
/// any device. Throws InputError if there is no such GPU, DeviceError if it is not available.
std::unique_ptr<StreamDevice> make_torch_cuda_device(TorchDeviceOptions options, int index,
                                                     Device::Wake wake);

}  // namespace harness
