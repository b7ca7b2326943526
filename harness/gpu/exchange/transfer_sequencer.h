// The one order in which tensors go between the devices of a run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// Decides which transfer is enqueued when; one per run, beside the dispatcher. The protocol, and why it
/// cannot deadlock, stand in tensor_exchange.h. A value: fed messages, it sends others by the function given
/// with each call; copies go on alike. One thread.
class TransferSequencer {
 public:
  /// To message.worker. Messages to one worker arrive in order, once. Must not call the sequencer back.
  using Send = std::function<void(const ExchangeMessage& message)>;

  /// At most `window` operations are outstanding at a worker: enough to hide the messages' delay.
  explicit TransferSequencer(std::uint32_t window = 4);

  /// A worker with so much memory for what arrives. Once per worker.
  void add_worker(WorkerId worker, std::uint64_t room_bytes);
  /// Members (known workers) that have a communicator in common: transfers may use it.
  void open_channel(ChannelId channel, std::vector<WorkerId> members);
  /// kOffer, kEnded, kFreed.
  void on_message(const ExchangeMessage& message, const Send& send);

  /// Transfers offered and not finished.
  std::size_t unfinished() const { return entries_.size(); }
  /// Free memory for arrivals at a worker.
  std::uint64_t room_bytes(WorkerId worker) const { return workers_.at(worker).room_bytes; }
  /// Appends all that the next decisions depend on, for tests that search through all states.
  void append_state(std::vector<std::uint64_t>& words) const;

 private:
  struct Worker {
    std::deque<TransferId> waiting;  ///< of which it is an end, in the order of offers
    std::uint64_t room_bytes = 0;
    std::uint32_t outstanding = 0;
  };
  struct Channel {
    std::vector<WorkerId> members;
    bool open = true;
  };
  struct Entry {
    Transfer transfer;
    std::vector<WorkerId> active = {};  ///< ends whose operation is not known to have ended; empty: it waits
    bool missed = false;                ///< the receiver does not get it
  };

  void offer(const Transfer& transfer, const Send& send);
  void on_ended(WorkerId worker, TransferId id, bool well, const Send& send);
  /// The channel broke. Waiting transfers are diverted, enqueued ones fail at the ends that have not
  /// completed them. Nothing when it is closed already.
  void close_channel(ChannelId channel, const Send& send);
  /// Posts what has become first in all its queues, from those of `worker` on.
  void post_ready(WorkerId worker, const Send& send);
  bool may_post(const Transfer& transfer) const;
  void post(Entry& entry, const Send& send);
  void leave_queues(const Transfer& transfer);
  /// Takes the entry out, and its waiting transfer out of the queues.
  void divert(TransferId id, const Send& send);

  std::uint32_t window_;
  std::uint64_t next_ticket_ = 1;
  std::map<WorkerId, Worker> workers_;
  std::map<ChannelId, Channel> channels_;
  std::map<TransferId, Entry> entries_;
};

}  // namespace harness
