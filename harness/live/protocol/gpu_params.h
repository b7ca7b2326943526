// The table [gpu], for cells with runtime = "gpu": what runs the batches.
#pragma once

#include "harness/core/param_list.h"
#include "harness/core/precision.h"
#include "harness/core/wording.h"
#include "harness/gpu/device/device_traits.h"

namespace harness {

/// The way of tensors from a GPU of one rank to a GPU of another. NCCL is not the default before it has run
/// on two GPUs.
enum class ExchangeBy { kMessages, kNccl };

struct GpuParams {
  DeviceKind device = DeviceKind::kCpu;
  ExchangeBy exchange = ExchangeBy::kMessages;
  Precision precision = Precision::kFp32;
  int threads = 1;
  int weights_seed = 1;
  double profile_error_limit = 0;
  double profile_check_wait_s = 0;

  void list(ParamList& params) {
    params.choice("device", device, device_kinds(),
                  ("what stands for a worker's GPU: " + text_of_device_kinds()).c_str());
    params.choice("exchange", exchange, {"messages", "nccl"},
                  ("nccl for " + join_names(device_kinds_with(&DeviceTraits::exchanges_nccl)) +
                   " alone: how tensors get to the GPUs of other ranks, through host memory and messages or "
                   "from GPU to GPU")
                      .c_str());
    params.choice(
        "precision", precision, {kPrecisions.begin(), kPrecisions.end()},
        "in what the networks compute: weights and what layers hand on; the profiles should be of the "
        "same precision");
    params
        .integer("threads", threads, 1, 1024,
                 "threads of each worker; workers x threads should not pass the cores of a host")
        .only_with("device", device_kinds_with(&DeviceTraits::takes_threads));
    params.integer("weights_seed", weights_seed, 0, 1'000'000'000, "of the networks' random weights");
    params.number("profile_error_limit", profile_error_limit, 0, 10,
                  "one rank alone: the share by which batches alone on a device, just before and after the "
                  "run, may take longer or shorter than the profile says; beyond it the cell is invalid; 0: "
                  "not checked");
    params.number(
        "profile_check_wait_s", profile_check_wait_s, 0, 86400,
        "with profile_error_limit: how long a cell waits before its run, checking again and again, for the "
        "devices to be as fast as the profile says");
  }
};

}  // namespace harness
