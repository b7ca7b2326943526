// What runs the batches in cells with runtime = "gpu": the table [gpu].
#pragma once

#include "harness/core/params.h"

namespace harness {

/// The kinds of device. null ends each batch at once: it measures what everything else costs.
enum class DeviceKind { kCpu, kCuda, kNull };

/// As experiment files and DeviceSpec call it.
constexpr const char* name_of(DeviceKind kind) {
  constexpr const char* kNames[] = {"cpu", "cuda", "null"};
  return kNames[static_cast<int>(kind)];
}

/// How tensors get from a GPU of one rank to that of another. NCCL is not the default before it has run on
/// two GPUs.
enum class ExchangeBy { kMessages, kNccl };

struct GpuParams {
  DeviceKind device = DeviceKind::kCpu;
  ExchangeBy exchange = ExchangeBy::kMessages;
  int threads = 1;
  int weights_seed = 1;
  double pace_limit = 0;
  double pace_wait_s = 0;

  void list(ParamList& params) {
    params.choice(
        "device", device, {"cpu", "cuda", "null"},
        "what stands for a worker's GPU: LibTorch on processor cores, a CUDA GPU, or nothing, which "
        "ends each batch at once");
    params.choice("exchange", exchange, {"messages", "nccl"},
                  "nccl for cuda alone: how tensors get to the GPUs of other ranks, through host memory and "
                  "messages or from "
                  "GPU to GPU");
    params.integer("threads", threads, 1, 1024,
                   "cpu: threads of each worker; workers x threads should not pass the cores of a host");
    params.integer("weights_seed", weights_seed, 0, 1'000'000'000, "of the networks' random weights");
    params.number("pace_limit", pace_limit, 0, 10,
                  "one rank alone: the share by which batches alone on a device, just before and after the "
                  "load, may take longer or shorter than the profile says; beyond it the cell is invalid; 0: "
                  "not looked at");
    params.number("pace_wait_s", pace_wait_s, 0, 86400,
                  "with pace_limit: how long a cell waits before its load, looking again and again, for the "
                  "devices to be at the profile's pace");
  }
};

}  // namespace harness
