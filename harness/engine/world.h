// What the engine asks of a runtime: to run a batch, to carry a message, to wake it. Called per batch or per
// message.
#pragma once

#include <span>

#include "harness/core/service.h"
#include "harness/core/types.h"

namespace harness {

/// A visit on its way to a queue domain.
struct Delivery {
  VisitId visit = 0;
  DomainId domain = 0;
};

/// A message that a visit's request has ended elsewhere. The slot may have been reused when it arrives: the
/// request and the index tell.
struct Cancellation {
  VisitId visit = 0;
  RequestId request = 0;
  std::uint16_t index = 0;
};

/// A visit that starts on a slot of a shared server or on a thread.
struct ServiceVisit {
  WorkerId worker = 0;
  std::uint32_t slot = 0;  ///< index of the worker among those of its module; slots of one server follow
  ModuleId module = 0;
  RequestId request = 0;
  TokenCount tokens;  ///< shared only
};

/// The world beneath the queue domains of a rank.
class DomainWorld {
 public:
  virtual ~DomainWorld() = default;

  /// Runs a batch; the runtime calls DomainGroup::on_batch_done(worker) when it ends.
  virtual void run_batch(WorkerId worker, TimeNs profile_ns) = 0;
  /// Runs one visit on a worker whose service is shared or delay; on_batch_done(worker) follows as well.
  virtual void run_visit(const ServiceVisit& visit) = 0;
  /// The visit has joined the worker's forming batch: what it needs may be brought there (design, section 5).
  /// Only of a group with tell_joins().
  virtual void joined(WorkerId /*worker*/, VisitId /*visit*/) {}
  /// Has the worker's running batch stop at its next exit point: DomainGroup::on_batch_preempted(worker)
  /// follows then, unless the batch ends before.
  virtual void preempt(WorkerId worker) = 0;
  /// Calls DomainGroup::on_timer(domain) at `at_ns`, unless a call for an earlier time came meanwhile.
  virtual void wake_at(DomainId domain, TimeNs at_ns) = 0;
  /// Carries a domain's report to its module's controller: Dispatcher::on_report.
  virtual void report(ModuleId module, DomainId domain, std::span<const double> values) = 0;
};

/// The world beneath the dispatcher. In virtual time every call schedules an event; with no delay a delivery
/// is carried out at once.
class DispatcherWorld {
 public:
  virtual ~DispatcherWorld() = default;

  /// Carries visits to their domains; DomainGroup::on_delivery follows for each, in order.
  virtual void deliver(std::span<const Delivery> deliveries) = 0;
  /// Carries a cancellation; DomainGroup::on_cancellation follows.
  virtual void cancel(const Cancellation& cancellation) = 0;
  /// Carries a module's published state to its own domains and the other controllers:
  /// DomainGroup::on_publication and Dispatcher::on_publication.
  virtual void publish(ModuleId module, std::span<const double> state) = 0;
  /// Tells the router of `module`, after the delay of a message, that `count` visits have left `domain`.
  virtual void acknowledge(ModuleId module, DomainId domain, int count) = 0;
  /// Calls Dispatcher::on_worker_ready(worker) after its cold start.
  virtual void start_worker(WorkerId worker, TimeNs cold_start_ns) = 0;
};

struct WorkerState;

/// Both, for a runtime in which one thread does everything.
class World : public DomainWorld, public DispatcherWorld {
 public:
  /// A batch has ended; asked only while links are faulty (ActiveFaults). True: the runtime holds the notice
  /// back (Cluster::on_late_batch_done follows) or has lost it.
  virtual bool holds_batch_done(WorkerId, const WorkerState&) { return false; }
};

}  // namespace harness
