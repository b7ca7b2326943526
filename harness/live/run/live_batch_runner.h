// What runs the batches of a live run on one rank: devices or timers, for the queues of the rank and as
// guests of other ranks' queues, and the tensors that the batches need and leave behind. It also keeps the
// queues' timers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/engine/active_faults.h"
#include "harness/engine/event.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/queue_timers.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/queues/rank_queues.h"
#include "harness/engine/queues/worker_models.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/worker_state.h"
#include "harness/engine/workers.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/tensors/live_tensors.h"
#include "harness/live/tensors/tensor_key.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// Runs the batches of a rank's queues, on GPUs of this rank or, by a message, on GPUs of another one; and
/// runs batches of other ranks' queues, its guests. Brings the tensors that batches need, and keeps those
/// that they leave behind. Also keeps the timers of the rank's queues. All times are of the run, on rank 0's
/// clock. A message that comes twice, or concerns something that is not here, is ignored. Single-threaded.
class LiveBatchRunner final : public Workers {
 public:
  /// The parts of the rank that the runner shares with its queues.
  struct Environment {
    EngineTables& tables;
    RankQueues& queues;  ///< queues that it tells of the ends of their batches and of their timers
    const ActiveFaults& faults;
    const TimeNs& now;  ///< time of the message or event that is being handled
  };

  /// The waits of batches for tensors.
  struct TensorWaits {
    LatencyHistogram waits;  ///< waits of the batches that waited
    TimeNs longest_ns = 0;
  };

  /// All arguments, and the parts of `environment`, outlive this object. `events` takes events of the kinds
  /// of LiveEvent. `payload`: visits need their tensors, and batches wait until these are here. `devices` run
  /// the batches; null: timers do. `exchanges` bring tensors from GPU to GPU; may be null.
  LiveBatchRunner(const RunSpec& spec, const Layout& layout, int rank, bool payload, MessageWriter& out,
                  EventQueue& events, const Environment& environment, DeviceWorkers* devices,
                  DeviceExchanges* exchanges);
  LiveBatchRunner(const LiveBatchRunner&) = delete;
  LiveBatchRunner& operator=(const LiveBatchRunner&) = delete;

  /// Handles a message about batches or tensors; returns false if it is another.
  bool take(int from, Message& message);
  /// Handles an event of a worker or a timer; returns false if it is another.
  bool handle(const Event& event);
  /// Handles the batches that devices have ended; returns false if no batch has ended. `run_time` turns a
  /// time of this rank's clock into a time of the run. Throws DeviceError, CellFailed.
  bool take_batches(const std::function<TimeNs(TimeNs)>& run_time);
  /// Handles the tensors that GPUs have exchanged; returns false if they have exchanged none.
  bool take_transfers();

  /// Brings the tensor of a visit that comes to a queue of this rank. `bytes` are the message's; `gpu` is the
  /// GPU of the queue's first worker. Called before the queue hears of the visit.
  void on_delivery(const DeliverMessage& delivery, std::span<const std::byte> bytes, std::uint32_t gpu);

  // Called with what the queues tell the dispatcher, after the message to it.
  /// Drops the tensor of a visit that has left this rank's queues.
  void on_visit_left(VisitId visit);
  /// Keeps the outputs of a batch that is over, and drops its inputs.
  void on_batch_done(WorkerId worker, const WorkerState& state);
  /// Gives the tensors of a preempted batch back to its visits.
  void on_batch_preempted(WorkerId worker);
  /// Forgets what a lost worker runs. The tensors of the batch that is ahead go back to its visits.
  void on_batch_lost(WorkerId worker, const WorkerState& state);

  /// True if no GPU is sending or receiving a tensor.
  bool is_quiet() const { return !tensors_ || tensors_->is_quiet(); }
  const TensorWaits& tensor_waits() const { return tensor_waits_; }
  /// Returns the rank's tensors; null without payload.
  const LiveTensors* tensors() const { return tensors_ ? &*tensors_ : nullptr; }

 private:
  /// The batch, or the visit on a slot, that a worker whose GPU is on this rank runs or is to run.
  struct Run {
    std::uint32_t gpu = 0;
    ModuleId module = 0;
    TimeNs profile_ns = 0;
    TimeNs handover_ns = 0;
    TimeNs asked_ns = 0;  ///< time since which it has lacked tensors; kNever: it lacks none
    std::optional<ServiceVisit> visit{};
    int guest_of = kNoRank;    ///< rank whose queue it runs for; kNoRank: it runs for a queue of this rank
    bool preempt = false;      ///< true if it is to be preempted as soon as it starts
    std::size_t prepared = 0;  ///< with devices: number of images of the forming batch that the device has
    bool ahead = false;        ///< true if the device has that batch already
    // The members of a guest, a run for another rank's queue.
    bool lost = false;               ///< true if nobody waits for its end
    TimeNs started_ns = 0;           ///< start of the run; later than asked_ns if it waited
    std::vector<RunEntry> visits{};  ///< visits of its batch; with payload only
    // The members of runs with payload.
    std::vector<TransferId> inputs{};  ///< tensors that it needs, until it has ended or is lost
    StoredTensor outputs{};            ///< outputs that a device has made of the inputs, one after another
    std::vector<TransferId> next{};    ///< tensors that the batch needs which is ahead
  };
  static constexpr int kNoRank = -1;
  /// The tensor that a visit at a queue of this rank needs.
  struct VisitInput {
    RequestId request = 0;
    std::uint32_t source_rank = kNone;
    std::uint16_t source = 0;
    TransferId id = 0;  ///< number of the tensor; 0: it needs none, or has not fetched it yet
  };

  void run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) override;
  void run_visit(const ServiceVisit& visit) override;
  void joined(WorkerId worker, VisitId visit) override;
  void closed(WorkerId worker) override;
  void preempt(WorkerId worker) override;
  void wake_at(QueueId queue, TimeNs at_ns) override { timers_.wake_at(queue, at_ns); }

  void take_run(int from, Message& message);
  void take_end(Message& message);
  void take_releases(Message& message);
  void batch_event(WorkerId worker, TimeNs ended_ns, bool preempted = false);
  void end_batch(WorkerId worker, TimeNs ended_ns, bool preempted);
  void preempt_here(WorkerId worker);
  /// True if the worker's GPU, or its substitute, is on this rank.
  bool runs_here(const WorkerState& state) const;
  Run& run_of(WorkerId worker);
  bool is_guest(WorkerId worker) const { return worker < runs_.size() && runs_[worker].guest_of != kNoRank; }
  /// Returns the start of what the worker runs here.
  TimeNs& started_of(WorkerId worker) {
    return is_guest(worker) ? runs_[worker].started_ns : tables_.workers[worker].started_ns;
  }
  /// Starts a run for a queue of this rank.
  void start_own(WorkerId worker, std::optional<ServiceVisit> visit);
  /// Starts the worker's run now if its tensors are here and its device has room, else later.
  void start(WorkerId worker);
  bool has_tensors(const Run& run) const;
  bool is_waiting(WorkerId worker) const {
    return std::find(waiting_.begin(), waiting_.end(), worker) != waiting_.end();
  }
  /// True if the run's device has room for it. Slots and threads take no room of a device, and may have no
  /// GPU on this rank.
  bool has_room(const Run& run) const {
    return devices_ == nullptr || run.visit || devices_->has_room(run.gpu);
  }
  void start_now(WorkerId worker);
  void run_on_device(WorkerId worker, std::uint32_t gpu, ModuleId module, std::span<const TransferId> inputs);
  /// Starts, prepares and submits what has all of its tensors now. Called when tensors have come.
  void tensors_came();
  void start_waiting();
  /// Hands the images of the forming batch that are here to the device, in order, up to the first one that is
  /// not here. Returns false if there is such an image.
  bool prepare(WorkerId worker);
  /// Submits the worker's closed batch behind the one that runs, if its tensors are here and the device has
  /// room. Returns false otherwise.
  bool submit_ahead(WorkerId worker);
  void submit_closed();
  /// Asks again for the tensors of a batch that still waits: they, or the request for them, may have been
  /// lost.
  void ask_again(WorkerId worker);
  /// Moves the tensors of what the worker is about to run to `run`.
  void take_inputs(WorkerId worker, Run& run);
  /// Drops the tensors of a batch of this rank's queues that has ended or is lost.
  void end_inputs(WorkerId worker, const WorkerState& state);
  void drop_inputs(Run& run);
  /// Gives up the visit's batch, which runs here or is on its way, and for which nobody waits.
  void lose_guest(const TensorKey& visit);

  const RunSpec& spec_;
  const Layout& layout_;
  int rank_;
  MessageWriter& out_;
  EventQueue& events_;
  EngineTables& tables_;
  RankQueues& queues_;
  const ActiveFaults& faults_;
  const TimeNs& now_;
  WorkerModels workers_;
  QueueTimers timers_;
  DeviceWorkers* devices_;
  std::vector<Run> runs_;               ///< run of each worker
  std::vector<WorkerId> waiting_;       ///< workers whose runs lack tensors, or room on the device; few
  std::optional<LiveTensors> tensors_;  ///< the rank's tensors; with payload only, like the next members up
                                        ///< to tensor_waits_
  bool fetches_late_;                   ///< true if a queue's GPUs may be on several ranks
  std::vector<VisitInput> inputs_;      ///< tensor that each visit at this rank's queues needs
  std::set<TensorKey> lost_;            ///< visits of lost batches that another rank has yet to ask for
  TensorWaits tensor_waits_;
  std::vector<WorkerId> incomplete_;  ///< with devices: workers whose forming batches lack tensors
  std::vector<WorkerId> closed_;      ///< with devices: workers whose closed batches are to be submitted
                                      ///< ahead
  std::vector<Image> images_;
  std::vector<std::shared_ptr<void>> owners_;
};

}  // namespace harness
