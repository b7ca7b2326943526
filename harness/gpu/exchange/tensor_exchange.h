// A worker's part in bringing tensors from device to device: the protocol that keeps NCCL from deadlock.
//
// NCCL's rules: both ends post matching operations in the same order; an operation holds its stream until
// its peer has posted too; operations on several communicators of a device must be submitted in the same
// order on all ranks (NCCL user guide, "Using multiple NCCL communicators concurrently"). If each is posted
// when routing happens to decide on it, A->B, B->C, C->A block each other for ever.
//
// Protocol
//  1. The sender offers a transfer to the run's one sequencer (kOffer). It keeps the tensor until it hears
//     the outcome (kOutcome).
//  2. The sequencer keeps offers in the order in which they came, in one queue per end. It posts a transfer
//     that is first in the queues of both ends, once each end has fewer than `window` operations
//     outstanding: it gives the transfer the next ticket and tells both ends (kPost).
//  3. An end enqueues the operation on its lane, which is one stream, the moment it is told. Messages from
//     one rank to another arrive in order, so every lane holds its operations in the order of their tickets.
//  4. An end says when the operation has left its lane (kEnded). A receiver says when the memory of a tensor
//     that arrived is free again (kFreed); the sequencer counts it. No transfer waits for memory: if the
//     receiver has no room, the transfer is not posted but diverted, and the sender lets messages carry it.
//  5. An operation that fails, or that cannot be enqueued, closes its channel at that end: operations posted
//     on it later fail at that end too, so that none can meet the wrong peer. When the sequencer hears of
//     the failure (kEnded), it closes the channel at all members (kAbort). A transfer that the receiver did
//     not get is diverted. So a transfer is lost only if a process ends, and that ends the run.
//
// Why it cannot deadlock
//  a. Posted transfers. A transfer waits only for transfers before it in a lane of its ends; these have
//     lower tickets. So the wait-for graph's edges lead from higher to lower tickets: it has no cycle. The
//     unfinished transfer with the lowest ticket is, at each end, enqueued or its kPost is under way, and
//     all operations before it have left the lane, so it comes to the head of both lanes and completes. This
//     needs neither several streams nor kernels of two operations resident at once: one lane per device is
//     the worst case, and a device that runs operations earlier does no worse.
//  b. Waiting transfers. The oldest is first in both its queues, since a transfer before it would be older.
//     Its ends' windows open again by (a); then it is posted or diverted. By induction every offer ends.
//  c. Order. Two transfers of the same ends are posted in the order of their offers, and a lane keeps it.
// tensor_exchange_states_test.cc checks this in all interleavings of small cases, with a fake NCCL that is
// as strict as the rules above, and checks that posting without the order does deadlock there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "harness/core/types.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

class ExchangeWorld;

/// The exchange of one worker: it reacts to messages by acting on the world given with each call. It is a
/// value: copies continue in the same way. It is used by one thread.
class TensorExchange {
 public:
  explicit TensorExchange(WorkerId worker) : worker_(worker) {}

  /// Offers a tensor of this worker to the sequencer; the store keeps it until settled().
  void offer(const Transfer& transfer, ExchangeWorld& world);
  /// Takes a message of the sequencer (kPost, kAbort, kOutcome); messages come in the order in which it sent
  /// them.
  void on_message(const ExchangeMessage& message, ExchangeWorld& world);
  /// Called when the operation has left the lane; `well`: with the bytes in place.
  void on_lane_ended(std::uint64_t ticket, bool well, ExchangeWorld& world);
  /// Called when memory of tensors that arrived is free again.
  void on_freed(std::uint64_t bytes, ExchangeWorld& world);

  WorkerId worker() const { return worker_; }
  /// Returns the number of operations that are enqueued and have not ended.
  std::size_t enqueued() const { return enqueued_.size(); }
  const std::set<ChannelId>& closed_channels() const { return closed_; }

 private:
  void post(std::uint64_t ticket, const Transfer& transfer, ExchangeWorld& world);
  void close(ChannelId channel, ExchangeWorld& world);
  void tell_ended(const Transfer& transfer, bool well, ExchangeWorld& world);

  WorkerId worker_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Transfer> enqueued_;  ///< operations in the lane, by ticket
  std::set<ChannelId> closed_;
};

/// The surroundings of an exchange, on which it acts. Its functions may call the exchange's offer() and
/// on_freed(), but no others.
class ExchangeWorld {
 public:
  virtual ~ExchangeWorld() = default;
  /// Sends a message to the sequencer; messages arrive there in order, once.
  virtual void send(const ExchangeMessage& message) = 0;
  /// Enqueues the operation as the lane's last; a receiver first gets memory for it. Returns false if it
  /// cannot: then nothing has been enqueued and no memory is held.
  virtual bool enqueue(std::uint64_t ticket, const Transfer& transfer) = 0;
  /// Makes all operations enqueued on the channel end soon, and fail if they have not completed.
  virtual void abort(ChannelId channel) = 0;
  /// Called at a receiver: the tensor is here.
  virtual void arrived(const Transfer& transfer) = 0;
  /// Called at a receiver: the memory for the tensor, which will not arrive, is not needed.
  virtual void discard(const Transfer& transfer) = 0;
  /// Called at the sender, once for every transfer: the tensor need not be kept any more (kDiverted: once
  /// messages have taken it).
  virtual void settled(const Transfer& transfer, TransferOutcome outcome) = 0;
};

}  // namespace harness
