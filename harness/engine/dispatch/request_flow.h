// The life cycle of requests: sending, splitting, merging, cancelling, ending (PARD section 5.1: a request is
// split if `subs` has several modules and merged if `pres` has; section 5.2: a module may send each request
// to one of its subs alone, and a merge waits for the branches that the request takes).
#pragma once

#include <optional>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/routes.h"
#include "harness/core/stream.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/accounting/request_record.h"
#include "harness/engine/accounting/slot_table.h"
#include "harness/engine/accounting/visit_record.h"
#include "harness/engine/accounting/visit_tree.h"
#include "harness/engine/dispatch/module_queues.h"
#include "harness/engine/to_queues.h"
#include "harness/engine/worker_state.h"
#include "harness/serving/router.h"

namespace harness {

/// Moves requests through the pipeline. Visits that leave a queue come in through on_batch_done and drop;
/// visits that enter a queue go out through ToQueues::deliver. A dropped branch fails its request: queued
/// siblings are told by a cancellation, which travels like any message; siblings in a forming or running
/// batch run and count as invalid, unless their worker is lost or their batch preempted. A task tree with
/// Answers::kPartial is different: there the request ends with its last visit. If no path of it was served,
/// it ends as dropped, at the module and for the reason of its last dropped visit; otherwise it ends as
/// answered at that time.
class RequestFlow {
 public:
  /// `seed` determines the routes of the requests. All arguments outlive this object.
  RequestFlow(const Pipeline& pipeline, const std::vector<Stream>& streams, std::uint64_t seed,
              Answers answers, SlotTable<VisitRecord>& visits, Accounting& accounting, ToQueues& to_queues,
              std::vector<ModuleQueues>& queues);

  /// Says whether queues serve several modules from now on.
  void set_shares_queues(bool shares) { shares_queues_ = shares; }
  /// Counts `count` more outstanding visits of that module (or of its task) at the queue. The routers of all
  /// modules that the queue serves see them.
  void count_outstanding(ModuleId module, QueueId queue, int count);
  /// Sends the next request, of that stream, which is due to leave `now` and really leaves `schedule_lag_ns`
  /// later.
  void send(TimeNs now, StreamId stream, TimeNs schedule_lag_ns = 0);
  /// Handles the end of the worker's running batch at `ended_ns`, which is heard of now: its visits end, and
  /// their successors are sent on.
  void on_batch_done(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns);
  /// Handles a batch that the worker ran from state.started_ns to `ended_ns` and that came to nothing: its
  /// visits are dropped for that reason, and their GPU time counts.
  void fail_batch(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns, DropReason reason);
  /// Ends the visit, which is queued or travels, and with it its request or its branch alone. The visit
  /// counts as cancelled if the request was dropped at another module before: a request is dropped at one
  /// module.
  void drop(TimeNs now, VisitId visit, DropReason reason);
  /// Ends the visit on its way to a queue, which never sees it; the router does not hear of its end either.
  void end_on_the_way(TimeNs now, VisitId visit, DropReason reason);
  /// Ends a visit of an ended request, which has been withdrawn from its queue, or was cancelled on its way.
  void on_cancelled(TimeNs now, VisitId visit);
  /// Routes visits again whose queue is going away. The caller has withdrawn them; they count as new arrivals
  /// nowhere. Visits of ended requests end instead.
  void reroute(TimeNs now, ModuleId module, std::span<const VisitId> visits);

  /// Ends what is left of requests of which nothing more is heard: they are unfinished.
  void give_up(TimeNs now);

  /// Returns the visit that the request in that slot has at the module, also a visit that waits before a
  /// merge. Returns kNone if there is no such visit, and always for a chain or a task tree.
  VisitId visit_at(std::uint32_t request_slot, ModuleId module) const {
    const std::size_t at = place(request_slot, module);
    return at < visit_at_.size() ? visit_at_[at] : kNone;
  }

  /// Returns by module and entry of its subs the number of visits that the module has caused there; empty if
  /// tasks have no variants.
  const std::vector<std::vector<std::uint64_t>>& caused() const {
    static const std::vector<std::vector<std::uint64_t>> kNothing;
    return tree_ ? tree_->caused() : kNothing;
  }

  /// Returns the number of requests that have visits left.
  std::uint32_t live_requests() const { return requests_.live(); }

 private:
  RequestRecord& request_of(const VisitRecord& record) { return requests_[record.request_slot]; }
  VisitId make_visit(std::uint32_t request_slot, ModuleId module, std::uint16_t parent);
  /// Turns a finished visit of a chain into its successor, in place.
  void advance_visit(VisitId visit, ModuleId to);
  /// Sends the finished visits of `from` on to its sub `to`, as far as their requests go there.
  void split_to(TimeNs now, ModuleId from, ModuleId to);
  /// Sends on the visits that are caused by the finished visits of a tree's module `from`, which `queue`
  /// served.
  void grow(TimeNs now, ModuleId from, QueueId queue);
  /// Adds to `children_` `count` visits at that sub of `from`, which has served `parent`.
  void add_children(VisitId parent, std::size_t sub, ModuleId from, std::uint32_t count);
  /// Notes that another branch of the request has reached the merge `to`.
  void merge_at(TimeNs now, const VisitRecord& branch, ModuleId to);
  /// Chooses queues for `visits`, all at `module` or its task, and appends to `deliveries_`. Visits that no
  /// queue takes are dropped.
  void choose_queues(TimeNs now, ModuleId module, std::span<const VisitId> visits,
                     const Upstream* from = nullptr);
  /// Carries `deliveries_` to their queues, each for the first time.
  void deliver(TimeNs now);
  void count_gaps(TimeNs now);
  /// Sets the variant of the visit, which goes to one of `module`'s queues.
  void assign_module(VisitId visit, ModuleId module);
  void end_visit(TimeNs now, VisitId visit);
  /// For trees: ends a path with a visit that `served_by` has served and that causes no other.
  void serve_path(TimeNs now, VisitId visit, ModuleId served_by);
  /// For trees: counts lost paths of the request.
  void lose_paths(const RequestRecord& request, std::uint32_t paths) {
    if (tree_) accounting_.on_paths_lost(request.sent_ns, paths);
  }
  void cancel_siblings(std::uint32_t request_slot);
  /// Lets the router know that `count` visits have left their queue, if the router counts.
  void acknowledge(ModuleId module, QueueId queue, int count);
  /// A batch that came to nothing, for the rows of its visits.
  struct FailedBatch {
    WorkerId worker = kNone;
    TimeNs started_ns = 0;
    TimeNs ended_ns = 0;
    std::uint16_t size = 0;
    TimeNs joined_ns = 0;  ///< time at which the visit that is being failed joined
  };
  void write_rows(TimeNs now, WorkerId worker, TimeNs started_ns, std::span<const BatchVisit> visits);
  void write_row(TimeNs now, const VisitRecord& record, VisitOutcome outcome, DropReason reason);
  /// Returns the route of the request in that slot, if choices are made.
  const Route& route_of(std::uint32_t request_slot) const { return routes_[route_at_[request_slot]]; }
  /// Returns the number of branches for which the merge `to` waits.
  std::size_t branches_to(std::uint32_t request_slot, ModuleId to) const {
    return routes_.dynamic() ? route_of(request_slot).branches[to] : pipeline_.modules[to].pres.size();
  }
  std::size_t place(std::uint32_t request_slot, ModuleId module) const {
    return std::size_t{request_slot} * pipeline_.modules.size() + module;
  }

  const Pipeline& pipeline_;
  const std::vector<Stream>& streams_;
  bool is_chain_;
  bool is_dag_;      ///< true for neither a chain nor a task tree
  bool is_partial_;  ///< true for a task tree with Answers::kPartial
  Routes routes_;
  SlotTable<VisitRecord>& visits_;
  SlotTable<RequestRecord> requests_;
  Accounting& accounting_;
  ToQueues& to_queues_;
  std::vector<ModuleQueues>& queues_;
  bool shares_queues_ = false;
  RequestId next_request_ = 0;

  std::optional<VisitTree> tree_;  ///< visits of a task tree; nothing for other pipelines

  /// For DAGs only, at place(): the request's live visit at that module (it visits each once), and the number
  /// of branches that have come to a merge.
  std::vector<VisitId> visit_at_;
  std::vector<std::uint16_t> branches_at_;
  /// Index in `routes_` of the request in each slot; empty without choices.
  std::vector<std::uint16_t> route_at_;

  FailedBatch failed_;                   ///< batch that is being failed; no worker: no batch
  std::vector<VisitId> finished_;        ///< scratch: visits of the ended batch whose requests go on
  std::vector<VisitId> children_;        ///< scratch
  std::vector<TimeNs> parents_arrived_;  ///< scratch: arrivals of the parents, by child
  /// Scratch: numbers of children, by sub and finished visit.
  std::vector<std::uint32_t> child_counts_;
  std::vector<Visit> route_visits_;
  std::vector<std::uint32_t> route_choices_;
  std::vector<Delivery> deliveries_;
};

}  // namespace harness
