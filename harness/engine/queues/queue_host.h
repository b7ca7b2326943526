// The host of one queue: calls its scheduler, checks and carries out its decisions, keeps its workers'
// batches.
#pragma once

#include <memory>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/profile.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/accounting/slot_table.h"
#include "harness/engine/ports.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// The worker that has fallen free, while its next batch is decided and started.
struct FreedWorker {
  WorkerId worker = kNone;
  bool was_closed = false;  ///< its forming batch, when that was looked at
  TimeNs free_ns = 0;
};

/// What all hosts of a run share. It and what it points to outlive the hosts.
struct HostEnvironment {
  SlotTable<VisitRecord>* visits = nullptr;
  WorkerTable* workers = nullptr;
  Accounting* accounting = nullptr;
  Workers* runtime = nullptr;
  ToDispatcher* dispatcher = nullptr;
  Decisions* decisions = nullptr;  ///< scratch, empty between calls
  FreedWorker* freed = nullptr;    ///< scratch, nobody between calls
  const RequestSizes* sizes = nullptr;
  std::span<const Profile> profiles;  ///< by module
  bool tells_joins = false;           ///< Workers::joined and Workers::closed are called
};

/// Serves the modules of a group. Every public function is an event of the queue at
/// virtual or wall time `now`; none is re-entered. An illegal decision (a visit that does not stand here, a
/// full or closed batch, ...) is a bug and stops the run.
class alignas(kCacheLine) QueueHost {
 public:
  /// `modules`: those it serves, the group's, in order.
  QueueHost(QueueId id, GroupId group, std::vector<ModuleId> modules, std::unique_ptr<Scheduler> scheduler,
            const HostEnvironment& environment);

  QueueId id() const { return id_; }
  const std::vector<ModuleId>& modules() const { return modules_; }
  /// A closed queue finishes what runs and takes no visit.
  bool closed() const { return closed_; }
  void close() { closed_ = true; }
  /// Nothing runs here, and nothing will.
  bool is_empty() const { return closed_ && workers_ == 0; }

  /// Hints that a visit will arrive soon: fetches what that touches into the cache. No other effect.
  void prefetch() const {
    constexpr std::size_t kUsualSize = 3 * kCacheLine;  // of what it touches in a scheduler
    prefetch_span(reinterpret_cast<const char*>(scheduler_.get()), kUsualSize);
    if (newest_worker_ != kNone) prefetch_object(&(*environment_->workers)[newest_worker_]);
  }

  void on_plan(TimeNs now, const Plan& plan);
  void add_worker(TimeNs now, WorkerId worker);
  /// The worker takes no further batch than those it has; `gone` of WorkerState follows when it has none.
  void drain_worker(TimeNs now, WorkerId worker);
  /// One that has drained, or is lost, has left.
  void remove_worker() { --workers_; }

  /// The workers are gone: what had joined their batches is queued again. The caller has ended what they ran.
  void lose_workers(TimeNs now, std::span<const WorkerId> workers);

  /// A travelling visit arrives.
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
  /// A queued visit leaves without the scheduler's doing.
  void withdraw(TimeNs now, VisitId visit);
  /// The worker's batch ended at `ended_ns`: tells the scheduler. The caller settles the visits, then calls
  /// start_next.
  void batch_done(TimeNs now, WorkerId worker, TimeNs ended_ns);
  /// The worker's batch stopped at an exit point at `ended_ns`: queues its visits again. start_next follows.
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
  /// Carries out the joins to one worker with which `decisions` begins; returns how many those are.
  std::size_t join(TimeNs now, std::span<const Decision> decisions);
  /// The only decision is that the visit which has just arrived joins: half of all joins.
  void join_arrived(TimeNs now, WorkerId id, VisitRecord& record) {
    WorkerState& worker = joined_worker(id);
    Fingerprint fingerprint(environment_->accounting->record().fingerprint);
    add_to_batch(now, id, worker, record, fingerprint);
    environment_->accounting->set_fingerprint(fingerprint);
    environment_->decisions->clear();
  }
  /// The worker that a join names.
  WorkerState& joined_worker(WorkerId id) {
    WorkerState& worker = own_worker(id);
    HARNESS_CHECK_DECISION(
        worker.life == WorkerState::Life::kServing && worker.next != WorkerState::Next::kLaunched,
        "a join into a closed batch");
    return worker;
  }
  /// A visit queued here joins the worker's forming batch.
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
  /// Those whose requests have ended meanwhile end here.
  std::vector<Visit> queue_again(TimeNs now, std::span<const BatchVisit> members);
  /// The worker's forming batch takes no more visits.
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

  /// What the plan says of a module's batches.
  struct Limits {
    int max_batch = 0;
    int cores = 0;  ///< ModulePlan::cores
  };
  /// `module` is one that it serves.
  const Limits& limits(ModuleId module) const {
    return modules_.size() == 1 ? only_limits_ : limits_[module];
  }

  // What an arrival and a batch touch comes first.
  const HostEnvironment* environment_;
  std::unique_ptr<Scheduler> scheduler_;
  QueueId id_;
  bool closed_ = false;
  GroupId group_;
  WorkerId newest_worker_ = kNone;
  int workers_ = 0;
  Limits only_limits_;  ///< of the first module, here beside what else a join touches
  std::vector<ModuleId> modules_;
  std::vector<Limits> limits_;  ///< by module of the pipeline
};

}  // namespace harness
