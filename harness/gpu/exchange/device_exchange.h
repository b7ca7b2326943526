// The interface through which tensors go from one device's memory to another's.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "harness/gpu/exchange/tensor_memory.h"
#include "harness/gpu/exchange/transfer_lane.h"

namespace harness {

/// One device's memory for tensors and its lane.
struct DeviceExchange {
  std::unique_ptr<TensorMemory> memory;
  std::unique_ptr<ChannelLane> lane;  ///< lane; declared after the memory, so that it ends first
};

/// The exchanges of a rank's GPUs, in order, and the way to begin a channel. In an exchange a GPU's number in
/// the cluster stands for its worker's WorkerId: a GPU has one worker at a time.
struct DeviceExchanges {
  std::vector<DeviceExchange> gpus;
  /// Makes the identifier of a channel (NCCL's unique id); one member calls it for all. Throws DeviceError.
  std::function<std::vector<std::byte>()> make_channel_id;
};

}  // namespace harness
