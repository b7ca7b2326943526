// The host of one queue: it calls the queue's scheduler, checks and carries out its decisions, and keeps its
// workers' batches.
#pragma once

#include <memory>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/profile.h"
#include "harness/core/request_sizes.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/accounting/fingerprint.h"
#include "harness/engine/accounting/prefetch.h"
#include "harness/engine/accounting/slot_table.h"
#include "harness/engine/accounting/visit_record.h"
#include "harness/engine/to_dispatcher.h"
#include "harness/engine/worker_state.h"
#include "harness/engine/workers.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// Serves the modules of a group. Every public function is an event of the queue at virtual or wall time
/// `now`, and none is re-entered. An illegal decision (a visit that is not here, a full or closed batch, ...)
/// is a bug and stops the run.
class alignas(kCacheLine) QueueHost {
 public:
  /// The worker that has fallen free, while its next batch is decided and started.
  struct FreedWorker {
    WorkerId worker = kNone;
    bool was_closed = false;  ///< true if its forming batch was closed when it fell free
    TimeNs free_ns = 0;
  };

  /// The environment that all hosts of a run share. It and what it points to outlive the hosts.
  struct Environment {
    SlotTable<VisitRecord>* visits = nullptr;
    WorkerTable* workers = nullptr;
    Accounting* accounting = nullptr;
    Workers* runtime = nullptr;
    ToDispatcher* dispatcher = nullptr;
    Decisions* decisions = nullptr;  ///< scratch, empty between calls
    FreedWorker* freed = nullptr;    ///< scratch, without a worker between calls
    const RequestSizes* sizes = nullptr;
    std::span<const Profile> profiles;  ///< profile of each module
    bool tells_joins = false;           ///< true if Workers::joined and Workers::closed are called
  };

  /// `modules` are the modules that it serves, the group's, in order.
  QueueHost(QueueId id, GroupId group, std::vector<ModuleId> modules, std::unique_ptr<Scheduler> scheduler,
            const Environment& environment);

  QueueId id() const { return id_; }
  const std::vector<ModuleId>& modules() const { return modules_; }
  /// True if the queue is closed: it finishes what runs and takes no visit.
  bool closed() const { return closed_; }
  void close() { closed_ = true; }
  /// True if nothing runs here, and nothing will.
  bool is_empty() const { return closed_ && workers_ == 0; }

  /// Hints that a visit will arrive soon: fetches the data that its arrival touches into the cache. It has no
  /// other effect.
  void prefetch() const {
    constexpr std::size_t kUsualSize = 3 * kCacheLine;  // bytes that it touches in a scheduler
    prefetch_span(reinterpret_cast<const char*>(scheduler_.get()), kUsualSize);
    if (newest_worker_ != kNone) prefetch_object(&(*environment_->workers)[newest_worker_]);
  }

  void on_plan(TimeNs now, const Plan& plan);
  void add_worker(TimeNs now, WorkerId worker);
  /// Drains the worker, which takes no further batch than those it has. The caller removes it when it has run
  /// them.
  void drain_worker(TimeNs now, WorkerId worker);
  /// Removes a worker that has drained or is lost.
  void remove_worker() { --workers_; }

  /// Removes workers that are gone: visits that had joined their batches are queued again. The caller has
  /// ended what they ran.
  void lose_workers(TimeNs now, std::span<const WorkerId> workers);

  /// Lets a travelling visit arrive.
  void arrive(TimeNs now, VisitRecord& record) {
    record.state = VisitState::kQueued;
    record.queue = id_;
    environment_->accounting->on_reached(now, record);
    scheduler_->on_arrival(now, record.visit, *environment_->decisions);
    const std::span<const Decision> decided = environment_->decisions->list();
    if (decided.size() == 1 && decided.front().kind == Decision::Kind::kJoin &&
        decided.front().visit_or_first == record.visit.id) {
      join_arrived(now, decided.front().worker_or_count, record);
    } else {
      carry_out(now);
    }
  }
  /// Takes a queued visit away without the scheduler's doing.
  void withdraw(TimeNs now, VisitId visit);
  /// Tells the scheduler that the worker's batch ended at `ended_ns`. The caller settles the visits, then
  /// calls start_next.
  void batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns);
  /// Queues again the visits of the worker's batch, which stopped at an exit point at `ended_ns`. start_next
  /// follows.
  void batch_preempted(TimeNs now, WorkerId worker, TimeNs ended_ns);
  /// Starts what is launched, or tells the scheduler that the worker is free, which it has been since
  /// `free_ns`: a batch that it runs next starts then, or when the last of its visits joined.
  void start_next(TimeNs now, WorkerId worker, TimeNs free_ns);
  void on_state(TimeNs now, ModuleId module, std::span<const double> state);
  void on_timer(TimeNs now);

 private:
  /// Carries out what the scheduler has decided.
  void carry_out(TimeNs now) {
    if (!environment_->decisions->empty()) carry_out_all(now);
  }
  void carry_out_all(TimeNs now);
  /// Carries out the joins to one worker with which `decisions` begins; returns their number.
  std::size_t join(TimeNs now, std::span<const Decision> decisions);
  /// Carries out the only decision, that the visit which has just arrived joins: half of all joins.
  void join_arrived(TimeNs now, WorkerId id, VisitRecord& record) {
    WorkerState& worker = joined_worker(id);
    Fingerprint fingerprint(environment_->accounting->record().fingerprint);
    add_to_batch(now, id, worker, record, fingerprint);
    environment_->accounting->set_fingerprint(fingerprint);
    environment_->decisions->clear();
  }
  /// Returns the worker that a join names, whose batch must not be closed.
  WorkerState& joined_worker(WorkerId id) {
    WorkerState& worker = own_worker(id);
    HARNESS_CHECK_DECISION(
        worker.life == WorkerState::Life::kServing && worker.next != WorkerState::Next::kLaunched,
        "a join into a closed batch");
    return worker;
  }
  /// Adds a visit that is queued here to the worker's forming batch.
  void add_to_batch(TimeNs now, WorkerId id, WorkerState& worker, VisitRecord& record,
                    Fingerprint& fingerprint) {
    HARNESS_CHECK_DECISION(worker.next != WorkerState::Next::kFull, "a join into a full batch");
    if (worker.forming.empty()) worker.forming_module = record.visit.module;
    HARNESS_CHECK_DECISION(worker.forming_module == record.visit.module,
                           "a join into a batch of another module");
    record.state = VisitState::kForming;
    worker.forming.push_back({record.visit.id, record.visit.arrived_ns, now});
    fingerprint.add(now, record.visit.request ^ (std::uint64_t{id} << 40));
    if (environment_->tells_joins) [[unlikely]]
      environment_->runtime->joined(id, record.visit.id);
    if (static_cast<int>(worker.forming.size()) >= limits(worker.forming_module).max_batch)
      close_batch(WorkerState::Next::kFull, id, worker);
  }
  void drop(TimeNs now, const Decision& decision);
  void launch(TimeNs now, WorkerId worker);
  void preempt(TimeNs now, WorkerId worker);
  /// Queues the visits of a batch again and returns them. Visits whose requests have ended meanwhile end
  /// here.
  std::vector<Visit> queue_again(TimeNs now, std::span<const BatchVisit> members);
  /// Closes the worker's forming batch, which takes no more visits.
  void close_batch(WorkerState::Next how, WorkerId worker, WorkerState& state) {
    const bool was_open = state.next == WorkerState::Next::kOpen;
    state.next = how;
    if (environment_->tells_joins && state.busy && was_open) [[unlikely]]
      environment_->runtime->closed(worker);
  }
  void start_batch(TimeNs now, WorkerId worker);
  TimeNs handover_ns(WorkerId worker, const WorkerState& state) const;
  void start_visit(WorkerId worker, WorkerState& state);
  WorkerState& own_worker(WorkerId worker) {
    HARNESS_CHECK_DECISION(
        worker < environment_->workers->size() && (*environment_->workers)[worker].queue == id_,
        "a decision names a worker of another queue");
    return (*environment_->workers)[worker];
  }

  const Profile& profile(ModuleId module) const { return environment_->profiles[module]; }

  /// The limits that the plan sets for a module's batches.
  struct Limits {
    int max_batch = 0;
    int cores = 0;  ///< cores of a worker (ModulePlan::cores)
  };
  /// Returns the limits of `module`, which must be one that it serves.
  const Limits& limits(ModuleId module) const {
    return modules_.size() == 1 ? only_limits_ : limits_[module];
  }

  // The members that an arrival and a batch touch come first.
  const Environment* environment_;
  std::unique_ptr<Scheduler> scheduler_;
  QueueId id_;
  bool closed_ = false;
  GroupId group_;
  WorkerId newest_worker_ = kNone;
  int workers_ = 0;
  Limits only_limits_;  ///< limits of the first module, here beside the other data that a join touches
  std::vector<ModuleId> modules_;
  std::vector<Limits> limits_;  ///< limits of each module of the pipeline
};

}  // namespace harness
