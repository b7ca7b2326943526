// A tensor's way from one worker to another, and what the ends and the sequencer tell each other about it.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// A tensor in a worker's TensorStore; unique there, never reused.
using TensorHandle = std::uint64_t;
inline constexpr TensorHandle kNoTensor = 0;

/// A communicator and its members: the workers of a pair of modules, say. Never reused within a run.
using ChannelId = std::uint32_t;
/// Chosen by who makes the transfer; unique within a run.
using TransferId = std::uint64_t;

/// One tensor to be brought from `from` to `to`; both ends are workers, each with a device of its own.
struct Transfer {
  TransferId id = 0;
  TensorHandle source = kNoTensor;  ///< in the sender's store
  std::uint64_t bytes = 0;
  WorkerId from = 0;
  WorkerId to = 0;
  ChannelId channel = 0;
  std::uint32_t padding = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// How a transfer ended.
enum class TransferOutcome : std::uint8_t {
  kDelivered,  ///< the receiver has the bytes
  kDiverted    ///< not by this way (no room, no channel, the channel broke): by messages
};

enum class ExchangeKind : std::uint8_t {
  // To the sequencer.
  kOffer,  ///< transfer
  kEnded,  ///< transfer.id, `well`: the operation has left the worker's lane
  kFreed,  ///< transfer.bytes: so much room for arrivals is free again
  // From the sequencer.
  kPost,     ///< transfer, ticket: enqueue the operation now
  kAbort,    ///< transfer.channel: what is enqueued on it fails, it is used no more
  kOutcome,  ///< transfer, outcome: to the sender
};

/// A message between a worker and the sequencer; a fixed struct for whatever carries it.
struct ExchangeMessage {
  ExchangeKind kind = ExchangeKind::kOffer;
  TransferOutcome outcome = TransferOutcome::kDelivered;
  bool well = true;
  std::uint8_t padding = 0;
  WorkerId worker = 0;  ///< the worker's end: who says it, or whom it is for
  std::uint64_t ticket = 0;
  Transfer transfer = {};
};

}  // namespace harness
