// The stream of a device on which it sends tensors to other devices and receives theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

struct LaneEnd;

/// A stream of sends and receives. Operations run one after the other, in the order in which they were
/// enqueued; each waits for the matching operation of its peer. The lane is called from one thread and never
/// blocks it; the memory must stay until the operation has ended. A worker is named by its WorkerId, whatever
/// its rank in the communicator. On a channel that is not open, or was aborted, operations fail. After a
/// failure all later operations on the same channel fail at this end, so that no operation meets another's
/// peer.
class TransferLane {
 public:
  virtual ~TransferLane() = default;

  virtual void send(std::uint64_t ticket, ChannelId channel, WorkerId to,
                    std::span<const std::byte> bytes) = 0;
  virtual void receive(std::uint64_t ticket, ChannelId channel, WorkerId from,
                       std::span<std::byte> bytes) = 0;
  /// Gives up the channel's communicator; operations enqueued on it end soon, and fail if they are not done.
  virtual void abort(ChannelId channel) = 0;
  /// Appends the operations that have ended since the last call, each once.
  virtual void take(std::vector<LaneEnd>& ended) = 0;
};

/// An operation that has left the lane.
struct LaneEnd {
  std::uint64_t ticket = 0;
  std::string failure;  ///< reason of the failure, with call, peers and device; empty: it succeeded
};

/// A lane whose channels are opened while it works.
class ChannelLane : public TransferLane {
 public:
  /// Starts to join the channel with these members, of which this worker is one. One member has made `id`
  /// (DeviceExchanges::make_channel_id), and all members get it. Transfers may use the channel only when all
  /// have joined. Members may open channels in any order.
  virtual void open(ChannelId channel, std::span<const std::byte> id, std::vector<WorkerId> members) = 0;
  /// Returns the channels that were joined since the last call (empty text), or given up, with the reason.
  virtual std::vector<std::pair<ChannelId, std::string>> opened() = 0;
};

}  // namespace harness
