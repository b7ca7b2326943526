// The queues and GPUs of a rank in a live run. They take messages of the dispatcher and send messages to it.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "harness/engine/event_queue.h"
#include "harness/engine/faults.h"
#include "harness/engine/queues/rank_queues.h"
#include "harness/engine/queues/worker_models.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/live_events.h"
#include "harness/live/protocol/messages.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/tensors/live_tensors.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// The waits of a rank's batches for tensors.
struct TensorWaits {
  LatencyHistogram waits;  ///< waits of the batches that waited
  TimeNs longest_ns = 0;
};

/// The queues and GPUs of a rank. All times are of the run, on rank 0's clock. A message that comes twice, or
/// concerns something that is not here, is ignored. Single-threaded.
class LiveQueues final : private Workers, private ToDispatcher {
 public:
  /// All arguments outlive this object. `events` takes events of the kinds of LiveEvent.
  /// `payload`: visits need their tensors, and batches wait until these are here.
  /// `devices` run the batches; null: timers do. `exchanges` bring tensors from GPU to GPU; may be null.
  LiveQueues(const RunSpec& spec, const Layout& layout, int rank, bool payload, MessageWriter& out,
             EventQueue& events, DeviceWorkers* devices = nullptr, DeviceExchanges* exchanges = nullptr);
  LiveQueues(const LiveQueues&) = delete;
  LiveQueues& operator=(const LiveQueues&) = delete;

  /// Handles a message for queues or workers; returns false if it is another.
  bool take(TimeNs now, int from, MessageReader& message);
  /// Handles the batches that devices have ended; returns false if no batch has ended. `run_time` turns a
  /// time of this rank's clock into a time of the run. Throws DeviceError, CellFailed.
  bool take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time);
  /// Handles the tensors that GPUs have exchanged; returns false if they have exchanged none.
  bool take_transfers(TimeNs now);
  /// Handles an event of a queue or worker; returns false if it is another.
  bool handle(TimeNs now, const Event& event);

  /// Returns this rank's part of the accounting.
  const RunRecord& part() { return accounting_.part(); }
  /// Returns what reached the queues here, if the run keeps it.
  std::vector<ReplayLog> take_replay() { return queues_.take_replay(); }
  /// Returns how long deliveries took to come here.
  const LatencyHistogram& delivery_delay() const { return delivery_delay_; }
  /// True if no GPU is sending or receiving a tensor.
  bool is_quiet() const { return !tensors_ || tensors_->is_quiet(); }
  const TensorWaits& tensor_waits() const { return tensor_waits_; }
  /// Returns the rank's tensors; null without payload.
  const LiveTensors* tensors() const { return tensors_ ? &*tensors_ : nullptr; }

 private:
  /// A queue of this rank.
  struct Place {
    std::uint32_t gpu = kNone;  ///< GPU of its first worker; kNone: the queue has never been here
    bool acknowledges = false;
  };

  void run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) override;
  void run_visit(const ServiceVisit& visit) override;
  void joined(WorkerId worker, VisitId visit) override;
  void closed(WorkerId worker) override;
  void preempt(WorkerId worker) override;
  void wake_at(QueueId queue, TimeNs at_ns) override { timers_.wake_at(queue, at_ns); }
  void report(ModuleId module, QueueId queue, std::span<const double> values) override;

  void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void batch_preempted(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) override;
  void visit_dropped(TimeNs now, VisitId visit, DropReason reason) override;
  void visit_cancelled(TimeNs now, VisitId visit) override;
  void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) override;
  void worker_gone(TimeNs now, WorkerId worker) override;

  void take_plan(MessageReader& message);
  void take_delivery(MessageReader& message);
  void take_cancellation(MessageReader& message);
  void take_state(MessageReader& message);
  void take_run(int from, MessageReader& message);
  void take_end(MessageReader& message);
  void take_releases(MessageReader& message);
  void open_queue(const QueueMessage& message);
  void add_worker(const WorkerMessage& message);
  void drain_worker(const WorkerMessage& message);
  void lose_workers(MessageReader& message);
  Place place_of(QueueId queue) const { return queue < places_.size() ? places_[queue] : Place{}; }
  /// Returns the time at which a message of the queue sets off if it is sent now, as
  /// ActiveFaults::held_until.
  std::optional<TimeNs> held_until(QueueId queue);
  /// Returns the same time for an acknowledgement to the queue's router, if the router counts them; at once
  /// otherwise: in virtual time there is a message only if they are counted.
  std::optional<TimeNs> acknowledged_at(QueueId queue) {
    return place_of(queue).acknowledges ? held_until(queue) : std::nullopt;
  }
  void send_batch(MessageKind kind, TimeNs ended_ns, WorkerId worker, const WorkerState& state);
  void batch_event(WorkerId worker, TimeNs ended_ns, bool preempted = false);
  void preempt_here(WorkerId worker);
  void end_batch(WorkerId worker, TimeNs ended_ns, bool preempted);
  void tell(MessageKind kind, TimeNs at_ns, VisitId visit, DropReason reason);
  bool is_here(WorkerId worker) const;

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

  Run& run_of(WorkerId worker);
  /// Returns the start of what the worker runs here.
  TimeNs& started_of(WorkerId worker) {
    return is_guest(worker) ? runs_[worker].started_ns : tables_.workers[worker].started_ns;
  }
  bool is_guest(WorkerId worker) const { return worker < runs_.size() && runs_[worker].guest_of != kNoRank; }
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
  Image image_of(ModuleId module, TransferId id) const;
  /// Submits the worker's closed batch behind the one that runs, if its tensors are here and the device has
  /// room. Returns false otherwise.
  bool submit_ahead(WorkerId worker);
  void submit_closed();
  /// Gives the batch that is ahead back to its queue, since the worker is lost.
  void take_back(WorkerId worker);
  /// Asks again for the tensors of a batch that still waits: they, or the request for them, may have been
  /// lost.
  void ask_again(WorkerId worker);
  /// Moves the tensors of what the worker is about to run to `run`.
  void take_inputs(WorkerId worker, Run& run);
  void note_input(const DeliverMessage& delivery, std::span<const std::byte> bytes);
  /// Gives the tensors of the worker's preempted batch back to its visits.
  void give_inputs_back(WorkerId worker);
  /// Drops the tensor of a visit that has left this rank's queues.
  void end_input(VisitId visit);
  /// Returns the output of one of the run's visits; empty if nothing was computed.
  static StoredTensor output_of(const Run& run, std::size_t place, std::size_t visits);
  /// Keeps the outputs of a batch that is over.
  void keep_outputs(WorkerId worker, const WorkerState& state);
  /// Gives up the visit's batch, which runs here or is on its way, and for which nobody waits.
  void lose_guest(const TensorKey& visit);
  void drop_inputs(Run& run);
  /// True if the worker's GPU, or its substitute, is on this rank.
  bool runs_here(const WorkerState& state) const;

  const RunSpec& spec_;
  const Layout& layout_;
  int rank_;
  MessageWriter& out_;
  EventQueue& events_;
  TimeNs now_ = 0;
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Accounting accounting_;
  WorkerModels workers_;
  QueueTimers timers_;
  RankQueues queues_;
  ActiveFaults faults_;
  HeldMessages held_;
  std::vector<Place> places_;      ///< queues of this rank, by number
  std::vector<Run> runs_;          ///< run of each worker
  std::vector<WorkerId> waiting_;  ///< workers whose runs lack tensors, or room on the device; few
  DeviceWorkers* devices_;
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
  LatencyHistogram delivery_delay_;
  std::vector<BatchEntry> entries_;
  std::vector<double> values_;
};

}  // namespace harness
