// A rank's queues and emulated GPUs in a live run: messages of the dispatcher come in, messages to it
// go out.
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

/// How batches of a rank waited for tensors.
struct TensorWaits {
  LatencyHistogram waits;  ///< of the batches that waited
  TimeNs longest_ns = 0;
};

/// All times are of the run, in rank 0's clock. A message that comes twice, or concerns what is not here, is
/// ignored. Single-threaded.
class LiveQueues final : private Workers, private ToDispatcher {
 public:
  /// Everything outlives this. `events` takes events of the kinds of LiveEvent.
  /// `payload`: visits need their tensors, and batches wait until they are here.
  /// `devices`: run the batches; null: timers do. `exchanges`: bring tensors from GPU to GPU; may be null.
  LiveQueues(const RunSpec& spec, const Layout& layout, int rank, bool payload, MessageWriter& out,
             EventQueue& events, DeviceWorkers* devices = nullptr, DeviceExchanges* exchanges = nullptr);
  LiveQueues(const LiveQueues&) = delete;
  LiveQueues& operator=(const LiveQueues&) = delete;

  /// A message that is for queues or workers; false when it is another.
  bool take(TimeNs now, int from, MessageReader& message);
  /// Batches that devices have ended; false when there is none. `run_time` turns a time of this rank's clock
  /// into one of the run. Throws DeviceError, CellFailed.
  bool take_batches(TimeNs now, const std::function<TimeNs(TimeNs)>& run_time);
  /// Handles what GPUs have exchanged; false when they have nothing.
  bool take_transfers(TimeNs now);
  /// An event of a queue or worker; false when it is another.
  bool handle(TimeNs now, const Event& event);

  /// This rank's part of the accounting, and how long deliveries took to come here.
  const RunRecord& part() { return accounting_.part(); }
  /// What reached the queues here, if the run keeps it.
  std::vector<ReplayLog> take_replay() { return queues_.take_replay(); }
  const LatencyHistogram& delivery_delay() const { return delivery_delay_; }
  /// Whether no GPU is sending or receiving a tensor.
  bool is_quiet() const { return !tensors_ || tensors_->is_quiet(); }
  const TensorWaits& tensor_waits() const { return tensor_waits_; }
  /// Null without payload.
  const LiveTensors* tensors() const { return tensors_ ? &*tensors_ : nullptr; }

 private:
  /// Of a queue.
  struct Place {
    std::uint32_t gpu = kNone;  ///< of its first worker; kNone: the queue has never been here
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
  /// When what the queue says now sets off, as ActiveFaults::held_until.
  std::optional<TimeNs> held_until(QueueId queue);
  /// The same for what it acknowledges to its router, if that counts; at once otherwise: only then there is a
  /// message in virtual time.
  std::optional<TimeNs> acknowledged_at(QueueId queue) {
    return place_of(queue).acknowledges ? held_until(queue) : std::nullopt;
  }
  void send_batch(MessageKind kind, TimeNs ended_ns, WorkerId worker, const WorkerState& state);
  void batch_event(WorkerId worker, TimeNs ended_ns, bool preempted = false);
  void preempt_here(WorkerId worker);
  void end_batch(WorkerId worker, TimeNs ended_ns, bool preempted);
  void tell(MessageKind kind, TimeNs at_ns, VisitId visit, DropReason reason);
  bool is_here(WorkerId worker) const;

  /// What a worker whose GPU is on this rank runs, or is to run: a batch, or a visit on a slot.
  struct Run {
    std::uint32_t gpu = 0;
    ModuleId module = 0;
    TimeNs profile_ns = 0;
    TimeNs handover_ns = 0;
    TimeNs asked_ns = 0;  ///< when it lacked tensors; kNever: it did not
    std::optional<ServiceVisit> visit{};
    int guest_of = kNoRank;    ///< the rank whose queue it runs for, if that is another
    bool preempt = false;      ///< as soon as it starts
    std::size_t prepared = 0;  ///< with devices: so many images of the batch that forms next
    bool ahead = false;        ///< the device has that batch already
    // Of a guest.
    bool lost = false;               ///< nobody waits for its end
    TimeNs started_ns = 0;           ///< later than asked_ns if it waited
    std::vector<RunEntry> visits{};  ///< with payload
    // With payload.
    std::vector<TransferId> inputs{};  ///< until it has ended or is lost
    StoredTensor outputs{};            ///< what a device has made of them, one after another
    std::vector<TransferId> next{};    ///< of the batch that is ahead
  };
  static constexpr int kNoRank = -1;
  /// What a visit here needs.
  struct VisitInput {
    RequestId request = 0;
    std::uint32_t source_rank = kNone;
    std::uint16_t source = 0;
    TransferId id = 0;  ///< 0: none, or not fetched yet
  };

  Run& run_of(WorkerId worker);
  /// When what the worker runs here started.
  TimeNs& started_of(WorkerId worker) {
    return is_guest(worker) ? runs_[worker].started_ns : tables_.workers[worker].started_ns;
  }
  bool is_guest(WorkerId worker) const { return worker < runs_.size() && runs_[worker].guest_of != kNoRank; }
  /// A run for a queue of this rank.
  void start_own(WorkerId worker, std::optional<ServiceVisit> visit);
  /// Starts the worker's run when its tensors are here and its device has room.
  void start(WorkerId worker);
  bool has_tensors(const Run& run) const;
  bool is_waiting(WorkerId worker) const {
    return std::find(waiting_.begin(), waiting_.end(), worker) != waiting_.end();
  }
  /// Slots and threads take no room of a device, and may have no GPU on this rank.
  bool has_room(const Run& run) const {
    return devices_ == nullptr || run.visit || devices_->has_room(run.gpu);
  }
  void start_now(WorkerId worker);
  void run_on_device(WorkerId worker, std::uint32_t gpu, ModuleId module, std::span<const TransferId> inputs);
  /// Tensors have come: starts, and prepares, what has all of them now.
  void tensors_came();
  void start_waiting();
  /// Hands the images of the forming batch that are here to the device, in order, up to the first that is
  /// not. False: there is such a one.
  bool prepare(WorkerId worker);
  Image image_of(ModuleId module, TransferId id) const;
  /// Submits the worker's closed batch behind the one that runs, if its tensors are here and the device has
  /// room. False: not yet.
  bool submit_ahead(WorkerId worker);
  void submit_closed();
  /// The worker is lost: what is ahead goes back to its queue.
  void take_back(WorkerId worker);
  /// A batch still waits: its tensors, or the request for them, may have been lost.
  void ask_again(WorkerId worker);
  /// Hands the tensors of what the worker is about to run over to `run`.
  void take_inputs(WorkerId worker, Run& run);
  void note_input(const DeliverMessage& delivery, std::span<const std::byte> bytes);
  /// The worker's batch was preempted: its visits have their tensors again.
  void give_inputs_back(WorkerId worker);
  /// The visit has left this rank's queues.
  void end_input(VisitId visit);
  /// What the run leaves behind of one of its visits; none: nothing was computed.
  static StoredTensor output_of(const Run& run, std::size_t place, std::size_t visits);
  /// The batch is over: keeps what it leaves behind.
  void keep_outputs(WorkerId worker, const WorkerState& state);
  /// Nobody waits for the visit's batch, which runs here or is on its way.
  void lose_guest(const TensorKey& visit);
  void drop_inputs(Run& run);
  /// Whether the worker's GPU, or what stands for it, is on this rank.
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
  std::vector<Place> places_;      ///< by queue
  std::vector<Run> runs_;          ///< by worker
  std::vector<WorkerId> waiting_;  ///< their runs lack tensors, or room on the device; few
  DeviceWorkers* devices_;
  std::optional<LiveTensors> tensors_;  ///< with payload, as what follows
  bool fetches_late_;                   ///< a queue's GPUs may be on several ranks
  std::vector<VisitInput> inputs_;      ///< by visit that stands here
  std::set<TensorKey> lost_;            ///< visits of lost batches that another rank has yet to ask for
  TensorWaits tensor_waits_;
  std::vector<WorkerId> incomplete_;  ///< with devices: their forming batches lack tensors
  std::vector<WorkerId> closed_;      ///< with devices: to be submitted ahead
  std::vector<Image> images_;
  std::vector<std::shared_ptr<void>> owners_;
  LatencyHistogram delivery_delay_;
  std::vector<BatchEntry> entries_;
  std::vector<double> values_;
};

}  // namespace harness
