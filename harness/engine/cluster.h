// The engine: queue domains, workers, controllers and plans of one run, joined to the life cycle of its
// requests. The same object code for every runtime; what differs stands behind World.
#pragma once

#include <memory>
#include <vector>

#include "harness/engine/books.h"
#include "harness/engine/queue_domain_host.h"
#include "harness/engine/request_flow.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/world.h"

namespace harness {

/// One run. The runtime feeds it events with their time; each call runs to its end and is never re-entered,
/// except that World::deliver may call on_delivery at once. Single-threaded.
class Cluster final : private DropHandler {
 public:
  /// Makes the domains, warm workers and controllers of the initial plan. `spec` and `world` outlive the
  /// cluster.
  Cluster(const RunSpec& spec, World& world, RowSink* rows);
  ~Cluster() override;

  /// Starts at `now`: plans reach the schedulers, workers become free.
  void start(TimeNs now);

  void on_request(TimeNs now);
  void on_delivery(TimeNs now, const Delivery& delivery);
  // Hints for the cache, without effect on the run: on_delivery follows for each of these; on_batch_done
  // follows for this worker, soon or next.
  void prefetch(std::span<const Delivery> deliveries) const;
  void prefetch_worker(WorkerId worker) const;
  void prefetch_batch(WorkerId worker) const;
  void on_cancellation(TimeNs now, const Cancellation& cancellation);
  void on_batch_done(TimeNs now, WorkerId worker);
  void on_timer(TimeNs now, DomainId domain);
  void on_report(TimeNs now, ModuleId module, DomainId domain, std::span<const double> values);
  void on_publication(TimeNs now, ModuleId module, std::span<const double> state);
  void on_acknowledgement(ModuleId module, DomainId domain, int count);
  void on_worker_ready(TimeNs now, WorkerId worker);
  /// A state period is over: the controllers publish.
  void on_period(TimeNs now);
  /// A planning period is over: returns the plan from the load since the last call. The runtime applies it
  /// later.
  Plan compute_plan(TimeNs now);
  /// Scales modules up and down to `plan` and tells schedulers and controllers.
  void apply_plan(TimeNs now, const Plan& plan);

  bool has_controllers() const { return !controllers_.empty(); }
  const Plan& plan() const { return plan_; }
  std::uint64_t sent() const { return books_.record().sent; }
  std::uint32_t live_requests() const { return flow_.live_requests(); }
  /// Batches started and visits dropped so far: stands still only if nothing happens.
  std::uint64_t progress() const;

  /// Closes the books (a bug if they do not close).
  RunRecord close(TimeNs end_ns, std::uint64_t events);

 private:
  void on_visit_dropped(TimeNs now, VisitId visit, DropReason reason) override;
  /// Sends what the module's controller wants published.
  void publish(TimeNs now, ModuleId module);
  WorkerId add_worker(ModuleId module);
  void open_for(TimeNs now, WorkerId worker);
  void drain_worker(TimeNs now, WorkerId worker);
  void worker_gone(TimeNs now, WorkerId worker);
  void hand_over_queue(TimeNs now, DomainId domain);
  void scale_module(TimeNs now, ModuleId module, int direction);
  DomainId make_domain(TimeNs now, ModuleId module);
  void record_capacity(TimeNs now, ModuleId module);
  int alive_workers() const;
  bool is_open(ModuleId module, DomainId domain) const;

  const RunSpec& spec_;
  World& world_;
  RequestSizes sizes_;
  ServingContext context_;
  SlotTable<VisitRecord> visits_;
  WorkerTable workers_;
  Decisions decisions_;
  Books books_;
  HostEnvironment environment_;
  std::vector<ModuleDomains> domains_;
  RequestFlow flow_;
  std::unique_ptr<Planner> planner_;
  Plan plan_;
  std::vector<std::unique_ptr<Controller>> controllers_;  ///< empty, or one per module
  std::vector<std::unique_ptr<QueueDomainHost>> hosts_;   ///< by domain id; null once gone
  Publication publication_;
  std::vector<std::uint64_t> planned_arrivals_;  ///< arrivals per module up to the last compute_plan
  TimeNs planned_at_ns_ = 0;
};

/// The serving context of a cell (points into `spec` and to `sizes`, which planning does without).
ServingContext make_context(const RunSpec& spec, const RequestSizes* sizes = nullptr);
/// The plan with which a cell starts: the planner's for `offered_rps`, refined by the system.
Plan initial_plan(const RunSpec& spec, double offered_rps);

}  // namespace harness
