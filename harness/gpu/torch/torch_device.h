// Devices that run real networks by LibTorch. It includes no header of LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/stream_device.h"

namespace harness {

struct StagedModel;

/// Makes a model, or throws a DeviceError of this place. Called on a device's thread.
using ModelFactory = std::function<StagedModel(const ModelSource& source, const DevicePlace& place)>;

/// Takes the output of a batch that ran to its end, before its end can be taken: the values of all images,
/// one after another, in the order of submission. Called on the device's thread; the values stay only during
/// the call. An exception fails the batch.
using OutputSink = std::function<void(std::uint64_t tag, std::span<const float> values)>;

struct TorchDeviceOptions {
  std::string name;  ///< name; empty: "cpu", or "cuda:1 NVIDIA H200"
  int worker = -1;   ///< worker shown behind the name (with_worker()); -1: no worker
  /// The number of threads that compute one batch together (cpu); LibTorch counts them for the process.
  int threads = 1;
  bool graphs = true;    ///< cuda: true if batches run as CUDA graphs where a model can be captured
  ModelFactory models;   ///< source of models; empty: make_staged_model(), the zoo's and TorchScript files
  OutputSink on_output;  ///< receiver of outputs; empty: outputs are dropped
};

/// Makes a device that computes on the CPU, in a thread of its own, and in no more than `threads` at a time.
std::unique_ptr<Device> make_torch_cpu_device(TorchDeviceOptions options, Device::Wake wake);

#ifdef HARNESS_TORCH_CUDA
/// Makes a device of the GPU with this number. Batches go through LibTorch on a stream of the device's own,
/// each as one CUDA graph for its model and size, or as a chain of graphs from exit point to exit point; if
/// capturing fails, call by call (notes() says so). Inputs are copied on a second stream meanwhile.
/// Convolutions are in the precision that LibTorch has by default (TF32). `models` may make its weights on
/// any device. Throws InputError if there is no such GPU, DeviceError if it is not available.
std::unique_ptr<StreamDevice> make_torch_cuda_device(TorchDeviceOptions options, int index,
                                                     Device::Wake wake);
#endif

}  // namespace harness
