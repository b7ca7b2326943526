// The transfer of a tensor from one worker to another, and the messages about it between both ends and the
// sequencer.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The handle of a tensor in a worker's TensorStore; unique there, never reused.
using TensorHandle = std::uint64_t;
inline constexpr TensorHandle kNoTensor = 0;

/// The number of a communicator and its members, for example the workers of a pair of modules. Never reused
/// within a run.
using ChannelId = std::uint32_t;
/// The number of a transfer, chosen by its maker; unique within a run.
using TransferId = std::uint64_t;

/// One tensor to be brought from `from` to `to`; both ends are workers, and each has a device of its own.
struct Transfer {
  TransferId id = 0;
  TensorHandle source = kNoTensor;  ///< handle in the sender's store
  std::uint64_t bytes = 0;
  WorkerId from = 0;
  WorkerId to = 0;
  ChannelId channel = 0;
  std::uint32_t padding = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// The outcome of a transfer.
enum class TransferOutcome : std::uint8_t {
  kDelivered,  ///< the receiver has the bytes
  kDiverted    ///< the exchange could not carry it (no room, no channel, the channel broke): messages do
};

enum class ExchangeKind : std::uint8_t {
  // Messages to the sequencer, with the fields that each uses.
  kOffer,  ///< transfer
  kEnded,  ///< transfer.id, `well`: the operation has left the worker's lane
  kFreed,  ///< transfer.bytes: number of bytes of room for arrivals that are free again
  // Messages from the sequencer.
  kPost,     ///< transfer, ticket: enqueue the operation now
  kAbort,    ///< transfer.channel: operations enqueued on it fail, it is used no more
  kOutcome,  ///< transfer, outcome: to the sender
};

/// A message between a worker and the sequencer: a struct of fixed size, for any transport.
struct ExchangeMessage {
  ExchangeKind kind = ExchangeKind::kOffer;
  TransferOutcome outcome = TransferOutcome::kDelivered;
  bool well = true;
  std::uint8_t padding = 0;
  WorkerId worker = 0;  ///< worker that sends the message, or for which it is
  std::uint64_t ticket = 0;
  Transfer transfer = {};
};

}  // namespace harness
