// The engine of a run in one thread: the dispatcher and all queue domains, joined by direct calls over the
// same tables. What differs between such runtimes stands behind World.
#pragma once

#include "harness/engine/active_faults.h"
#include "harness/engine/dispatcher.h"
#include "harness/engine/domain_group.h"

namespace harness {

/// One run. The runtime feeds it events with their time; each call runs to its end and is never re-entered,
/// except that World::deliver may call on_delivery at once. Single-threaded.
class Cluster final : private DomainCommands, private DomainEvents {
 public:
  /// `spec` and `world` outlive the cluster. `rows` may be null.
  Cluster(const RunSpec& spec, World& world, RowSink* rows);

  /// Starts at `now`: plans reach the schedulers, workers become free.
  void start(TimeNs now) { dispatcher_.start(now); }

  // Of the queue domains.
  void on_delivery(TimeNs now, const Delivery& delivery) { domains_.on_delivery(now, delivery); }
  void on_cancellation(TimeNs now, const Cancellation& cancellation) {
    domains_.on_cancellation(now, cancellation);
  }
  void on_batch_done(TimeNs now, WorkerId worker) {
    domains_.on_batch_done(now, worker, tables_.workers[worker].end_ns(now));
  }
  void on_batch_preempted(TimeNs now, WorkerId worker) {
    domains_.on_batch_preempted(now, worker, tables_.workers[worker].end_ns(now));
  }
  void on_timer(TimeNs now, DomainId domain) { domains_.on_timer(now, domain); }
  void on_publication(TimeNs now, ModuleId module, std::span<const double> state,
                      std::span<const DomainId> except) {
    domains_.on_publication(now, module, state, except);
    on_publication_at_controllers(now, module, state);
  }
  void on_publication_at_controllers(TimeNs now, ModuleId module, std::span<const double> state) {
    dispatcher_.on_publication(now, module, state);
  }
  void on_publication_at(TimeNs now, DomainId domain, ModuleId module, std::span<const double> state) {
    domains_.on_publication_at(now, domain, module, state);
  }

  // Of schedulers that take their time: what has reached a domain and waits for its scheduler, which the
  // calls above then tell.
  /// The delivery's visit stands before its domain from now on.
  void on_delivery_waits(TimeNs now, const Delivery& delivery) {
    books_.on_reached(now, tables_.visits[delivery.visit]);
  }
  /// The delivery's visit comes to its domain and is refused there, before its scheduler hears of it.
  void on_delivery_refused(TimeNs now, const Delivery& delivery) {
    books_.on_reached(now, tables_.visits[delivery.visit]);
    dispatcher_.on_visit_dropped(now, delivery.visit, DropReason::kInboxFull);
  }
  /// What the worker ran has ended, or stopped, now. False: the worker is lost and nothing will be heard.
  bool on_end_waits(TimeNs now, WorkerId worker) {
    tables_.workers[worker].ended_ns = now;
    return tables_.workers[worker].life != WorkerState::Life::kGone;
  }
  /// Whether the domain takes visits.
  bool is_open(DomainId domain) const { return domains_.is_open(domain); }
  /// Before start().
  void time_schedulers(SchedulerStopwatch& stopwatch) { domains_.time_schedulers(stopwatch); }

  // Of the dispatcher.
  void on_request(TimeNs now, StreamId stream) { dispatcher_.on_request(now, stream); }
  void on_report(TimeNs now, ModuleId module, DomainId domain, std::span<const double> values) {
    dispatcher_.on_report(now, module, domain, values);
  }
  void on_acknowledgement(ModuleId module, DomainId domain, int count) {
    dispatcher_.on_acknowledgement(module, domain, count);
  }
  void on_worker_ready(TimeNs now, WorkerId worker) { dispatcher_.on_worker_ready(now, worker); }
  void on_period(TimeNs now) { dispatcher_.on_period(now); }
  Plan compute_plan(TimeNs now);
  void apply_plan(TimeNs now, const Plan& plan) { dispatcher_.apply_plan(now, plan); }
  TimeNs next_planning_ns(TimeNs at_ns) const { return dispatcher_.next_planning_ns(at_ns); }

  // Of faults: the runtime asks faults() about batches and messages and calls these.
  /// The change of that index is due now.
  void on_fault_change(TimeNs now, std::size_t index);
  ActiveFaults& faults() { return faults_; }
  void on_late_batch_done(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns) {
    dispatcher_.on_late_batch_done(now, worker, state, ended_ns);
  }
  void on_batch_unheard(TimeNs now, WorkerId worker, const WorkerState& state) {
    dispatcher_.on_batch_unheard(now, worker, state);
  }
  void on_delivery_lost(TimeNs now, VisitId visit) { dispatcher_.on_delivery_lost(now, visit); }
  std::uint32_t gpu_of_worker(WorkerId worker) const { return tables_.workers[worker].gpu; }
  ModuleId module_of_worker(WorkerId worker) const { return tables_.workers[worker].module; }
  std::uint32_t gpu_of_domain(DomainId domain) const {
    return domain == kNone ? kNone : dispatcher_.gpu_of(domain);
  }
  DomainId domain_of_worker(WorkerId worker) const { return tables_.workers[worker].domain; }
  DomainId domain_of_visit(VisitId visit) const { return tables_.visits[visit].domain; }
  bool has_joined(VisitId visit) const { return tables_.visits[visit].state == VisitState::kForming; }
  const std::vector<DomainView>& open_domains(ModuleId module) const {
    return dispatcher_.open_domains(module);
  }

  // Hints for the cache, without effect on the run.
  void prefetch(std::span<const Delivery> deliveries) const { domains_.prefetch(deliveries); }
  void prefetch_worker(WorkerId worker) const { domains_.prefetch_worker(worker); }
  void prefetch_batch(WorkerId worker) const;

  bool has_controllers() const { return dispatcher_.has_controllers(); }
  std::uint64_t sent() const { return books_.record().sent; }
  std::uint32_t live_requests() const { return dispatcher_.live_requests(); }
  /// Batches started and visits dropped so far: stands still only if nothing happens.
  std::uint64_t progress() const;

  /// Closes the books (a bug if they do not close).
  RunRecord close(TimeNs end_ns, std::uint64_t events);

 private:
  void set_plan(TimeNs now, const Plan& plan) override { domains_.set_plan(now, plan); }
  void open_domain(TimeNs now, DomainId domain, GroupId group, WorkerId) override {
    domains_.open_domain(now, domain, group);
  }
  void add_worker(TimeNs now, DomainId domain, WorkerId worker) override {
    domains_.add_worker(now, domain, worker);
  }
  void drain_worker(TimeNs now, WorkerId worker, bool closes) override {
    domains_.drain_worker(now, worker, closes);
  }
  void lose_workers(TimeNs now, DomainId domain, std::span<const WorkerId> workers, bool closes) override {
    domains_.lose_workers(now, domain, workers, closes);
  }
  void batch_done(TimeNs now, WorkerId worker, const WorkerState& state) override {
    if (now <= faults_.links_until_ns() && world_.holds_batch_done(worker, state)) [[unlikely]] {
      return;
    }
    dispatcher_.on_batch_done(now, worker, state);
  }
  void batch_preempted(TimeNs now, WorkerId, const WorkerState& state) override {
    dispatcher_.on_batch_preempted(now, state);
  }
  void batch_lost(TimeNs now, WorkerId worker, const WorkerState& state) override {
    dispatcher_.on_batch_lost(now, worker, state);
  }
  void visit_dropped(TimeNs now, VisitId visit, DropReason reason) override {
    dispatcher_.on_visit_dropped(now, visit, reason);
  }
  void visit_cancelled(TimeNs now, VisitId visit) override { dispatcher_.on_visit_cancelled(now, visit); }
  void visits_returned(TimeNs now, ModuleId module, std::span<const VisitId> visits) override {
    dispatcher_.on_visits_returned(now, module, visits);
  }
  void worker_gone(TimeNs now, WorkerId worker) override { dispatcher_.on_worker_gone(now, worker); }

  World& world_;
  ActiveFaults faults_;
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Books books_;
  DomainGroup domains_;
  Dispatcher dispatcher_;
};

}  // namespace harness
