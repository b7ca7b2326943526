// Fast decisions of one queue: order, drop, form a batch, launch.
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

// The write-only list into which a scheduler puts its decisions.

/// One decision of a scheduler. Which fields count depends on `kind`.
struct Decision {
  enum class Kind : std::uint8_t { kDrop, kJoin, kLaunch, kWakeAt, kReport, kPreempt };
  Kind kind = Kind::kDrop;
  DropReason reason = DropReason::kExpired;
  std::uint32_t visit_or_first = 0;   ///< kDrop, kJoin: the visit; kReport: index of the first value
  std::uint32_t worker_or_count = 0;  ///< kJoin, kLaunch, kPreempt: the worker; kReport: number of values
  TimeNs at_ns = 0;                   ///< kWakeAt

  bool operator==(const Decision&) const = default;
};

/// Decisions are carried out by the host in the order given, after the callback returns. The host checks each
/// one: an illegal decision is a bug of the system and stops the run.
class Decisions {
 public:
  /// The visit, queued at this queue, ends here and with it its request.
  void drop(VisitId visit, DropReason reason) { add({Decision::Kind::kDrop, reason, visit, 0, 0}); }
  /// The queued visit joins the worker's forming batch (which it opens if need be); the host stamps t_b. All
  /// visits of a batch are at the same module, at most the planned maximum batch size of them. A batch that
  /// is full while another runs is closed, whatever a later plan allows, and starts when that ends: a GPU has
  /// it by then. on_worker_free() launches it.
  void join(WorkerId worker, VisitId visit) { add({Decision::Kind::kJoin, {}, visit, worker, 0}); }
  /// Closes the worker's forming batch, which must not be empty. It starts at once, or when the running batch
  /// ends.
  void launch(WorkerId worker) { add({Decision::Kind::kLaunch, {}, 0, worker, 0}); }
  /// Asks the worker's running batch to stop at its next exit point (SHEPHERD, section 6). It may end before
  /// that: of on_batch_preempted and on_batch_done exactly one follows. Once for each batch.
  void preempt(WorkerId worker) { add({Decision::Kind::kPreempt, {}, 0, worker, 0}); }
  /// Asks for on_timer at `at_ns` or, if that is past, at once. A queue has one timer: the earliest request
  /// stands.
  void wake_at(TimeNs at_ns) { add({Decision::Kind::kWakeAt, {}, 0, 0, at_ns}); }
  /// Sends values to the module's controller; their meaning is the system's. Copies `values`.
  void report(std::span<const double> values) {
    add({Decision::Kind::kReport,
         {},
         static_cast<std::uint32_t>(values_.size()),
         static_cast<std::uint32_t>(values.size()),
         0});
    values_.insert(values_.end(), values.begin(), values.end());
  }

  // For the host.
  bool empty() const { return count_ == 0; }
  std::span<const Decision> list() const { return std::span(list_).first(count_); }
  std::span<const double> values(const Decision& report) const {
    return std::span(values_).subspan(report.visit_or_first, report.worker_or_count);
  }
  void clear() {
    count_ = 0;
    values_.clear();
  }

 private:
  /// Called for every visit: push_back() becomes a call of its own, 3 % of a simulation's instructions.
  [[gnu::always_inline]] void add(const Decision& decision) {
    if (count_ == list_.size()) list_.resize(2 * count_ + 8);
    list_[count_++] = decision;
  }

  std::vector<Decision> list_;  ///< the first `count_`
  std::size_t count_ = 0;
  std::vector<double> values_;
};

/// One instance per queue, which serves the modules of a group (Plan::served_by), called from one
/// thread, never re-entered. `now` is the only clock; all randomness comes from streams keyed by the
/// context's seed. Callbacks a system does not need keep their empty default.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// The first call, and again whenever the plan changes.
  virtual void on_plan(TimeNs now, const Plan& plan, Decisions& out) = 0;
  /// A worker joins the queue, idle. on_worker_free follows.
  virtual void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// The worker leaves once it has run what it has: no further joins; launch its forming batch if there is
  /// one.
  virtual void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// These workers are gone at once, and what ran on them: nothing more is heard of them or of those batches,
  /// and no decision names them from here on. They may have been draining. `visits`: those of their forming
  /// batches, launched or not, in the order in which they joined. They are queued here again, arrived_ns as
  /// before, and may be joined to other workers at once. If no worker is left that is not draining,
  /// on_cancelled follows for every queued visit, these too: the host routes them again (but where the queue
  /// stays, System::scales_to_zero).
  virtual void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                               Decisions& out) = 0;
  /// A visit stands before this queue.
  virtual void on_arrival(TimeNs now, const Visit& visit, Decisions& out) = 0;
  /// A queued visit is gone (its request ended elsewhere, or it was handed to another queue): forget it.
  virtual void on_cancelled(TimeNs now, VisitId visit, Decisions& out) = 0;
  /// The worker is idle and has no launched batch.
  virtual void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// A launched batch has started; a new batch may form behind it.
  virtual void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) = 0;
  /// A batch has ended. If another one was launched, its on_batch_started follows, else on_worker_free.
  virtual void on_batch_done(TimeNs, const BatchView&, Decisions&) {}
  /// A batch has stopped at an exit point because the scheduler asked for it (Decisions::preempt): comes in
  /// place of on_batch_done, and is followed by the same. `visits`: those of the batch, in the order in which
  /// they joined, but for those whose requests are known to have ended. They are queued here again,
  /// arrived_ns as before.
  virtual void on_batch_preempted(TimeNs, const BatchView&, std::span<const Visit>, Decisions&) {}
  /// A module's published state has reached this queue (after its delay). `state` is what that controller
  /// published.
  virtual void on_state(TimeNs, ModuleId, std::span<const double>, Decisions&) {}
  /// The time asked for with wake_at has come.
  virtual void on_timer(TimeNs, Decisions&) {}
};

}  // namespace harness
