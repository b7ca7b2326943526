// The sequencer, which puts all transfers between the devices of a run into one order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// Decides which transfer is enqueued when; there is one per run, beside the dispatcher. tensor_exchange.h
/// has the protocol, and the proof that it cannot deadlock. The sequencer reacts to messages by sending
/// others with the function given with each call. It is a value: copies continue in the same way. It is used
/// by one thread.
class TransferSequencer {
 public:
  /// Sends a message to message.worker. Messages to one worker arrive in order, once. It must not call the
  /// sequencer back.
  using Send = std::function<void(const ExchangeMessage& message)>;

  /// Allows at most `window` outstanding operations at a worker: enough to hide the messages' delay.
  explicit TransferSequencer(std::uint32_t window = 4);

  /// Adds a worker that has `room_bytes` of memory for arrivals. Call it once per worker.
  void add_worker(WorkerId worker, std::uint64_t room_bytes);
  /// Opens a channel for transfers between these members (known workers), which have a communicator in
  /// common.
  void open_channel(ChannelId channel, std::vector<WorkerId> members);
  /// Takes a worker's message: kOffer, kEnded or kFreed.
  void on_message(const ExchangeMessage& message, const Send& send);

  /// Returns the number of transfers that were offered and are not finished.
  std::size_t unfinished() const { return entries_.size(); }
  /// Returns the free memory for arrivals at a worker.
  std::uint64_t room_bytes(WorkerId worker) const { return workers_.at(worker).room_bytes; }
  /// Appends all values that the next decisions depend on, for tests that search through all states.
  void append_state(std::vector<std::uint64_t>& words) const;

 private:
  struct Worker {
    std::deque<TransferId> waiting;  ///< transfers of which it is an end, in the order of offers
    std::uint64_t room_bytes = 0;
    std::uint32_t outstanding = 0;
  };
  struct Channel {
    std::vector<WorkerId> members;
    bool open = true;
  };
  struct Entry {
    Transfer transfer;
    std::vector<WorkerId> active = {};  ///< ends whose operation may be unfinished; empty: it waits
    bool missed = false;                ///< true if the receiver does not get it
  };

  void offer(const Transfer& transfer, const Send& send);
  void on_ended(WorkerId worker, TransferId id, bool well, const Send& send);
  /// Closes a channel that broke: waiting transfers are diverted, enqueued ones fail at the ends that have
  /// not completed them. Does nothing if it is closed already.
  void close_channel(ChannelId channel, const Send& send);
  /// Posts every transfer that has become first in both its queues; the search begins with the queue of
  /// `worker`.
  void post_ready(WorkerId worker, const Send& send);
  bool may_post(const Transfer& transfer) const;
  void post(Entry& entry, const Send& send);
  void leave_queues(const Transfer& transfer);
  /// Diverts a waiting transfer: removes its entry and takes it out of the queues.
  void divert(TransferId id, const Send& send);

  std::uint32_t window_;
  std::uint64_t next_ticket_ = 1;
  std::map<WorkerId, Worker> workers_;
  std::map<ChannelId, Channel> channels_;
  std::map<TransferId, Entry> entries_;
};

}  // namespace harness
