// Rank 0's part of a live run: the load, the life cycle of requests, routers, controllers and the planner. It
// exchanges messages with the ranks' queues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/active_faults.h"
#include "harness/engine/dispatch/dispatcher.h"
#include "harness/engine/event.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/mailbox.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/live/protocol/held_messages.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/run/load_generator.h"
#include "harness/live/run/plan_thread.h"
#include "harness/live/tensors/tensor_registry.h"
#include "harness/live/tensors/tensors.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Rank 0's part of a live run. All times are of the run, on rank 0's clock. A message about a visit is
/// ignored if the visit has ended or has been sent elsewhere since. Single-threaded.
class LiveDispatcher final : private ToQueues {
 public:
  /// All arguments outlive this object. With `payload`, deliveries carry the bytes that the client has sent,
  /// or name the rank that keeps the visit's tensor. `rows` may be null. `wake` ends a sleep of the loop,
  /// from any thread. If `wake` is given, a thread of their own computes plans; if it is empty, the loop
  /// does.
  LiveDispatcher(const RunSpec& spec, const Layout& layout, bool payload, MessageWriter& out,
                 EventQueue& events, RowSink* rows, std::function<void()> wake);

  /// Opens the initial plan's queues; the load starts at 0.
  void start();
  /// Sends a request if one is due; returns false otherwise.
  bool send_due(TimeNs now);
  /// Returns the time at which the next request is due; kNever after the last.
  TimeNs next_due_ns() const { return generator_.next_send_ns(); }
  /// Handles a message; returns false if it is not for the dispatcher.
  bool take(TimeNs now, Message& message);
  /// Takes the plans that the thread has computed, and puts those into effect that are due; returns false if
  /// none is due, or if the loop computes the plans.
  bool take_plans(TimeNs now);
  /// Handles an event; returns false if it is not for the dispatcher.
  bool handle(TimeNs now, const Event& event);

  /// Returns the plan that is in effect.
  const Plan& plan() const { return dispatcher_.plan(); }
  /// True if all of the load has been sent and has ended.
  bool done() const { return generator_.done() && dispatcher_.live_requests() == 0; }
  std::uint64_t sent() const { return generator_.sent(); }
  /// Returns the number of notices so far of ended or preempted batches and ended visits. As long as
  /// it grows, the run does not hang.
  std::uint64_t progress() const { return progress_; }
  /// Gives up all requests that have not ended: nothing more is waited for.
  void give_up(TimeNs now) {
    last_end_ns_ = std::max(last_end_ns_, now);
    dispatcher_.give_up(now);
    if (tensor_registry_) tensor_registry_->clear();
    release_tensors();
  }
  /// Adds another rank's record.
  void absorb(const RunRecord& other) { accounting_.absorb(other); }
  /// Closes the accounting, at the end of everything.
  RunRecord close(std::uint64_t events);

 private:
  void deliver(std::span<const Delivery> deliveries) override;
  void cancel(const Cancellation& cancellation) override;
  void publish(ModuleId module, std::span<const double> state) override;
  void acknowledge(ModuleId module, QueueId queue, int count) override;
  void start_worker(WorkerId worker, TimeNs cold_start_ns) override;

  void set_plan(TimeNs now, const Plan& plan) override;
  void open_queue(TimeNs now, QueueId queue, GroupId group, std::uint32_t gpu) override;
  void add_worker(TimeNs now, QueueId queue, WorkerId worker) override;
  void drain_worker(TimeNs now, WorkerId worker, bool closes) override;
  void lose_workers(TimeNs now, QueueId queue, std::span<const WorkerId> workers, bool closes) override;

  void take_batch(TimeNs now, Message& message);
  void tell_end(TimeNs now, MessageKind kind, const BatchMessage& batch, WorkerState& state);
  void take_preempted(const BatchMessage& batch);
  void take_fault(TimeNs now, std::size_t change);
  void deliver_one(const Delivery& delivery);
  void publish_over_faulty_links(ModuleId module, std::span<const double> state);
  bool links_may_be_faulty() const { return now_ <= faults_.links_until_ns(); }
  /// Returns the time at which a message that is sent to the queue now sets off; nothing: at once; kNever: it
  /// is lost.
  std::optional<TimeNs> held_until(QueueId queue);
  /// Sends or holds a composed message.
  void send_at(std::optional<TimeNs> held, QueueId queue, std::span<const std::byte> message,
               std::span<const std::byte> rest = {});
  void take_visit(MessageKind kind, TimeNs now, const VisitMessage& message);
  void take_gone(TimeNs now, WorkerId worker);
  /// Notes the ranks that keep the tensors of an ended batch; `entries_` are its visits.
  void note_tensors(MessageKind kind, WorkerId worker);
  /// Releases the request's tensors that no visit needs any more.
  void sweep_tensors(RequestId request);
  bool is_needed(const TensorRegistry::Entry& entry) const;
  /// Puts into the message the rank that keeps the visit's tensor. Returns the bytes that go with the
  /// message.
  std::span<const std::byte> add_tensor(const VisitRecord& record, DeliverMessage& message);
  void release_tensors() {
    if (tensor_registry_) tensor_registry_->send(out_);
  }
  /// Returns the rank on which a worker's batches run and leave their tensors.
  int rank_of_batches(WorkerId worker) const;
  void plan_period(TimeNs now);
  bool apply_due_plans(TimeNs now);
  void await_planning(TimeNs last_ns);
  bool is_live(VisitId visit, RequestId request, std::uint16_t index) const;
  WorkerMessage message_of(WorkerId worker) const;
  int rank_of_worker(WorkerId worker) const {
    return layout_.rank_of(static_cast<int>(tables_.workers[worker].gpu));
  }

  struct Acknowledgement {
    ModuleId module = 0;
    QueueId queue = 0;
    int count = 0;
  };

  const RunSpec& spec_;
  const Layout& layout_;
  MessageWriter& out_;
  EventQueue& events_;
  TimeNs now_ = 0;
  TimeNs last_end_ns_ = 0;  ///< time of the last end of a batch or a visit
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Accounting accounting_;
  Dispatcher dispatcher_;
  LoadGenerator generator_;
  ActiveFaults faults_;
  HeldMessages held_;
  std::optional<Tensors> tensors_;                 ///< tensors that clients send; with payload only
  std::optional<TensorRegistry> tensor_registry_;  ///< list of the kept tensors; with payload only
  Mailbox<Acknowledgement> acknowledgements_;      ///< acknowledgements that a faulty link holds back
  QueueId told_by_ = kNone;               ///< queue whose message is being handled; kNone: no message
  TimeNs told_ns_ = 0;                    ///< time at which the router hears of that message
  std::vector<int> queue_rank_;           ///< rank that hosts each queue
  std::vector<std::uint64_t> delivered_;  ///< number of visits sent to each module's queues
  std::deque<TimeNs> plans_due_ns_;       ///< time from which each pending plan may take effect
  std::deque<Plan> next_plans_;           ///< pending plans that have been computed, the first ones
  std::vector<BatchEntry> entries_;
  std::vector<double> values_;
  std::uint64_t progress_ = 0;
  std::optional<PlanThread> plan_thread_;  ///< last member, since it uses the dispatcher
};

}  // namespace harness
