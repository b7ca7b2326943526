// What brings tensors from the memory of one device to that of another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "harness/gpu/tensor_store.h"
#include "harness/gpu/transfer_lane.h"

namespace harness {

/// Of one device.
struct DeviceExchange {
  std::unique_ptr<TensorMemory> memory;
  std::unique_ptr<ChannelLane> lane;  ///< after the memory: it ends first
};

/// Of the GPUs of a rank, in order, and how a channel begins. In an exchange a GPU's number in the cluster
/// stands for its worker's WorkerId: it has one worker at a time.
struct DeviceExchanges {
  std::vector<DeviceExchange> gpus;
  /// By one member of a channel, for all (NCCL's unique id). Throws DeviceError.
  std::function<std::vector<std::byte>()> make_channel_id;
};

}  // namespace harness
