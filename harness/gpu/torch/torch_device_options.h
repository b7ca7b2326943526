// What both kinds of LibTorch devices are made with. It includes no header of LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "harness/gpu/device/model_source.h"

namespace harness {

struct DevicePlace;
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

}  // namespace harness
