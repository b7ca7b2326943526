// The one order in which tensors go between the devices of a run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "harness/gpu/transfer.h"

namespace harness {

/// What the sequencer acts on. Its functions must not call the sequencer back.
class SequencerWorld {
 public:
  virtual ~SequencerWorld() = default;
  /// To message.worker. Messages to one worker arrive in order, once; to a lost one they may get lost.
  virtual void send(const ExchangeMessage& message) = 0;
  /// Called once for every transfer offered.
  virtual void finished(const Transfer& transfer, TransferOutcome outcome) = 0;
};

/// Decides which transfer is enqueued when; one per run, beside the dispatcher. The protocol, and why it
/// cannot deadlock, stand in tensor_exchange.h. A value: fed messages, it acts on the world given with each
/// call; copies go on alike. One thread.
class TransferSequencer {
 public:
  /// At most `window` operations are outstanding at a worker: enough to hide the messages' delay.
  explicit TransferSequencer(std::uint32_t window = 4);

  /// A worker with so much memory for what arrives. Once per worker.
  void add_worker(WorkerId worker, std::uint64_t room_bytes);
  /// Members (known workers, none lost) that have a communicator in common: transfers may use it.
  void open_channel(ChannelId channel, std::vector<WorkerId> members);
  /// The channel is used no more: it drains, or broke. Waiting transfers are diverted, enqueued ones fail
  /// at the ends that have not completed them. Nothing when it is closed already.
  void close_channel(ChannelId channel, SequencerWorld& world);

  /// kOffer, kCancel, kEnded, kFreed. A transfer may also be offered for its sender by the dispatcher,
  /// which saves the message.
  void on_message(const ExchangeMessage& message, SequencerWorld& world);
  /// The worker is gone, or counts as gone: its channels close, and it is listened to no more.
  void on_lost(WorkerId worker, SequencerWorld& world);

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
    bool lost = false;
  };
  struct Channel {
    std::vector<WorkerId> members;
    bool open = true;
  };
  struct Entry {
    Transfer transfer;
    std::vector<WorkerId> ends;    ///< the sender first
    std::vector<WorkerId> active;  ///< ends whose operation is not known to have ended; empty while waiting
    std::vector<WorkerId> missed;  ///< receivers that do not get it
    bool posted = false;
    bool cancelled = false;
  };

  void offer(const Transfer& transfer, SequencerWorld& world);
  void cancel(TransferId id, SequencerWorld& world);
  void on_ended(WorkerId worker, TransferId id, bool well, SequencerWorld& world);
  /// Posts what has become first in all its queues, from those of `worker` on.
  void post_ready(WorkerId worker, SequencerWorld& world);
  bool may_post(const Entry& entry) const;
  bool has_room(const Entry& entry) const;
  void post(Entry& entry, SequencerWorld& world);
  void leave_queues(const Entry& entry);
  /// The operation of `worker` is over, for good or not; finishes the transfer when it was the last.
  void end_part(Entry& entry, WorkerId worker, bool well, SequencerWorld& world);
  /// Takes the entry out. Tells the sender, and who missed it.
  void finish(TransferId id, TransferOutcome outcome, SequencerWorld& world);
  void finish_unposted(TransferId id, TransferOutcome outcome, SequencerWorld& world);
  TransferOutcome outcome_without_channel(const Entry& entry) const;

  std::uint32_t window_;
  std::uint64_t next_ticket_ = 1;
  std::map<WorkerId, Worker> workers_;
  std::map<ChannelId, Channel> channels_;
  std::map<TransferId, Entry> entries_;
};

}  // namespace harness
