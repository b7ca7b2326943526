// What brings tensors from the memory of one device to that of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

// The stream of a device on which tensors go to and come from other devices.

/// An operation that has left the lane.
struct LaneEnd {
  std::uint64_t ticket = 0;
  std::string failure;  ///< empty when all went well; else names call, peers and device
};

/// Operations run one after the other, in the order in which they were enqueued; each waits for the
/// matching one of its peers. Called from one thread and never blocks it; the memory must stay until the
/// operation has ended. A worker is named by its WorkerId, whatever its rank in the communicator. On a
/// channel that is not open, or was aborted, operations end in failure. One that fails takes its channel
/// along: all later ones on it fail at this end, so that none meets what was meant for another.
class TransferLane {
 public:
  virtual ~TransferLane() = default;

  virtual void send(std::uint64_t ticket, ChannelId channel, WorkerId to,
                    std::span<const std::byte> bytes) = 0;
  virtual void receive(std::uint64_t ticket, ChannelId channel, WorkerId from,
                       std::span<std::byte> bytes) = 0;
  /// Gives the channel's communicator up; what is enqueued on it ends soon, in failure if not done.
  virtual void abort(ChannelId channel) = 0;
  /// Appends what has ended since the last call; each operation once.
  virtual void take(std::vector<LaneEnd>& ended) = 0;
};

/// A lane whose channels are opened while it works.
class ChannelLane : public TransferLane {
 public:
  /// Starts to join the channel with these members, of which this worker is one. `id` is what one of them has
  /// made (DeviceExchanges::make_channel_id) and all are given. Only when all have joined may transfers use
  /// the channel. Members may open channels in any order.
  virtual void open(ChannelId channel, std::span<const std::byte> id, std::vector<WorkerId> members) = 0;
  /// Channels joined, or given up for the reason named, since the last call.
  virtual std::vector<std::pair<ChannelId, std::string>> opened() = 0;
};

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
