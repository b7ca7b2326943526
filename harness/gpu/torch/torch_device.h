// Devices that run real networks by LibTorch. Includes nothing of LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "harness/gpu/device.h"

namespace harness {

struct StagedModel;

/// Makes a model, or throws DeviceError of this place. Called on a device's thread.
using ModelFactory = std::function<StagedModel(const ModelSource& source, const DevicePlace& place)>;

/// Takes the output of a batch that ran to its end, before its end can be taken: the values of all pictures,
/// one after another, in the order of submission. Called on the device's thread; the values stay during the
/// call only. What it throws fails the batch.
using OutputSink = std::function<void(std::uint64_t tag, std::span<const float> values)>;

struct TorchDeviceOptions {
  std::string name = "cpu";
  int threads = 1;       ///< that compute one batch together; LibTorch counts them for the whole process
  ModelFactory models;   ///< none: make_staged_model(), the zoo's and TorchScript files
  OutputSink on_output;  ///< none: outputs are dropped
};

/// A device that computes on the CPU, in a thread of its own, and in no more than `threads` at a time.
std::unique_ptr<Device> make_torch_cpu_device(TorchDeviceOptions options, Device::Wake wake);

}  // namespace harness
