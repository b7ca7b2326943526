// A worker's part in bringing tensors from device to device: the protocol that keeps NCCL from deadlock.
//
// What NCCL asks for: both ends post matching operations in the same order; an operation holds its stream
// until its peer has posted too; operations on several communicators of a device must be submitted in the
// same order on all ranks (NCCL user guide, "Using multiple NCCL communicators concurrently"). Posted as
// routing happens to decide, A->B, B->C, C->A block each other for ever.
//
// Protocol
//  1. The sender offers a transfer to the run's one sequencer (kOffer). It keeps the tensor until it hears
//     the outcome (kOutcome).
//  2. The sequencer keeps offers in the order in which they came, in one queue per end. It posts a transfer
//     that is first in the queues of both ends, once each has fewer than `window` operations outstanding:
//     gives it the next ticket and tells both ends (kPost).
//  3. An end enqueues the operation on its lane, one stream, the moment it is told. Messages from one rank
//     to another arrive in order: every lane holds its operations in the order of their tickets.
//  4. An end says when the operation has left its lane (kEnded). A receiver says when the memory of what
//     arrived is free again (kFreed); the sequencer counts it. Nothing waits for memory: when the receiver
//     has no room, the transfer is not posted but diverted, and the sender lets messages carry it.
//  5. An operation that fails takes its channel along at that end, and one that cannot be enqueued closes
//     it there: what is posted on it later fails at that end too, so that nothing can meet the wrong peer.
//     Told of the failure (kEnded), the sequencer closes the channel at all members (kAbort). What the
//     receiver did not get is diverted. So no transfer is lost but with a process, which ends the run.
//
// Why it cannot deadlock
//  a. Posted transfers. A transfer waits only for those before it in a lane of its ends; these have lower
//     tickets. So the wait-for graph's edges lead from higher to lower tickets: no cycle. Take the
//     unfinished one with the lowest ticket: at each end it is enqueued or its kPost is under way, and all
//     before it has left the lane, so it comes to the head of both lanes and completes. Nothing here needs
//     several streams, or kernels of two operations resident at once: one lane per device is the worst
//     case, any device that runs them earlier does no worse.
//  b. Waiting transfers. The oldest is first in all its queues, for what is before it would be older. Its
//     ends' windows open again by (a); then it is posted or diverted. By induction every offer ends.
//  c. Order. Two transfers of the same ends are posted in the order of their offers, and a lane keeps it.
// tensor_exchange_states_test.cc checks this in all interleavings of small cases, with an NCCL that is as
// strict as above, and that posting without the order does deadlock there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// What an exchange acts on. Of the exchange its functions may call offer() and on_freed(), nothing else.
class ExchangeWorld {
 public:
  virtual ~ExchangeWorld() = default;
  /// To the sequencer, in order, once.
  virtual void send(const ExchangeMessage& message) = 0;
  /// Enqueues the operation on the lane, as the last; a receiver finds memory first. False when it cannot:
  /// then nothing has been enqueued and no memory is held.
  virtual bool enqueue(std::uint64_t ticket, const Transfer& transfer) = 0;
  /// Makes all operations enqueued on the channel end soon, those that have not completed in failure.
  virtual void abort(ChannelId channel) = 0;
  /// At a receiver: the tensor is here.
  virtual void arrived(const Transfer& transfer) = 0;
  /// At a receiver: the memory of what was to arrive is not needed.
  virtual void discard(const Transfer& transfer) = 0;
  /// At the sender, once for every transfer: the tensor need not be kept any more; kDiverted: after
  /// messages have taken it.
  virtual void settled(const Transfer& transfer, TransferOutcome outcome) = 0;
};

/// The exchange of one worker. A value: fed messages, it acts on the world given with each call; copies go
/// on alike. One thread.
class TensorExchange {
 public:
  explicit TensorExchange(WorkerId worker) : worker_(worker) {}

  /// Offers a tensor of this worker; the store keeps it until settled().
  void offer(const Transfer& transfer, ExchangeWorld& world);
  /// kPost, kAbort, kOutcome from the sequencer, in the order in which it sent them.
  void on_message(const ExchangeMessage& message, ExchangeWorld& world);
  /// The operation has left the lane; `well`: with the bytes in place.
  void on_lane_ended(std::uint64_t ticket, bool well, ExchangeWorld& world);
  /// Memory of tensors that arrived is free again.
  void on_freed(std::uint64_t bytes, ExchangeWorld& world);

  WorkerId worker() const { return worker_; }
  /// Operations enqueued that have not ended.
  std::size_t enqueued() const { return enqueued_.size(); }
  const std::set<ChannelId>& closed_channels() const { return closed_; }

 private:
  void post(std::uint64_t ticket, const Transfer& transfer, ExchangeWorld& world);
  void close(ChannelId channel, ExchangeWorld& world);
  void tell_ended(const Transfer& transfer, bool well, ExchangeWorld& world);

  WorkerId worker_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Transfer> enqueued_;  ///< by ticket
  std::set<ChannelId> closed_;
};

// Carries tensors from device to device: a worker's exchange, its lane and its memory together.

/// What an exchange carrier is made of; all must outlive it.
struct ExchangeParts {
  TensorStore* tensors = nullptr;                    ///< of the worker: where the sources are
  TensorMemory* memory = nullptr;                    ///< of its device
  TransferLane* lane = nullptr;                      ///< of its device, this carrier's alone
  TensorCarrier* messages = nullptr;                 ///< takes what is diverted
  TransferEvents* events = nullptr;                  ///< of the worker
  std::function<void(const ExchangeMessage&)> send;  ///< to the sequencer, in order, once; must not call back
  std::uint64_t room_bytes = 0;                      ///< for arrivals; as the sequencer was told
};

/// The exchange of one worker at work (protocol: tensor_exchange.h). One thread, the event loop's. An
/// operation that failed in the lane shows in failures().
class ExchangeCarrier final : public TensorCarrier, private ExchangeWorld {
 public:
  ExchangeCarrier(WorkerId worker, ExchangeParts parts);

  void carry(const Transfer& transfer) override;
  /// From the sequencer, in the order in which it sent them.
  void on_message(const ExchangeMessage& message);
  /// Handles what has ended in the lane. Call when the lane wakes the loop.
  void poll();

  std::size_t enqueued() const { return exchange_.enqueued(); }
  const TensorStore& arrivals() const { return arrivals_; }
  /// Why operations failed, in the words of the lane, in order.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void send(const ExchangeMessage& message) override;
  bool enqueue(std::uint64_t ticket, const Transfer& transfer) override;
  void abort(ChannelId channel) override;
  void arrived(const Transfer& transfer) override;
  void discard(const Transfer& transfer) override;
  void settled(const Transfer& transfer, TransferOutcome outcome) override;
  TensorHandle take_arrival(TransferId id);

  TensorExchange exchange_;
  ExchangeParts parts_;
  TensorStore arrivals_;
  std::map<TransferId, TensorHandle> arriving_;
  std::vector<LaneEnd> ended_;
  std::vector<std::string> failures_;
};

}  // namespace harness
