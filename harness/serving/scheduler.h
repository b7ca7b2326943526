// Fast decisions of one queue: order, drop, form a batch, launch.
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

// The write-only list into which a scheduler puts its decisions.

/// One decision of a scheduler. The fields that count depend on `kind`.
struct Decision {
  enum class Kind : std::uint8_t { kDrop, kJoin, kLaunch, kWakeAt, kReport, kPreempt };
  Kind kind = Kind::kDrop;
  DropReason reason = DropReason::kExpired;
  std::uint32_t visit_or_first = 0;   ///< kDrop, kJoin: the visit; kReport: index of the first value
  std::uint32_t worker_or_count = 0;  ///< kJoin, kLaunch, kPreempt: the worker; kReport: number of values
  TimeNs at_ns = 0;                   ///< kWakeAt: the time asked for

  bool operator==(const Decision&) const = default;
};

/// The decisions of one callback. The host carries them out in the order given, after the callback returns.
/// It checks each one: an illegal decision is a bug of the system and stops the run.
class Decisions {
 public:
  /// Ends the visit, which is queued here, and with it its request (with answers = partial its branch alone).
  void drop(VisitId visit, DropReason reason) { add({Decision::Kind::kDrop, reason, visit, 0, 0}); }
  /// Joins the queued visit to the worker's forming batch, which it opens if need be; the host stamps t_b.
  /// All visits of a batch are at the same module, and there are at most as many as the planned maximum batch
  /// size. A batch that is full while another runs is closed, whatever a later plan allows, because a GPU has
  /// it by then. It starts when the running batch ends: on_worker_free() must launch it.
  void join(WorkerId worker, VisitId visit) { add({Decision::Kind::kJoin, {}, visit, worker, 0}); }
  /// Closes the worker's forming batch, which must not be empty. The batch starts at once, or when the
  /// running batch ends.
  void launch(WorkerId worker) { add({Decision::Kind::kLaunch, {}, 0, worker, 0}); }
  /// Asks the worker's running batch to stop at its next exit point (SHEPHERD, section 6). The batch may end
  /// before that: exactly one of on_batch_preempted and on_batch_done follows. Allowed once for each batch.
  void preempt(WorkerId worker) { add({Decision::Kind::kPreempt, {}, 0, worker, 0}); }
  /// Asks for on_timer at `at_ns` or, if that is past, at once. A queue has one timer, which keeps the
  /// earliest time asked for.
  void wake_at(TimeNs at_ns) { add({Decision::Kind::kWakeAt, {}, 0, 0, at_ns}); }
  /// Sends values to the module's controller; the system alone knows their meaning. Copies `values`.
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
  /// Appends a decision. It is called for every visit; if it used push_back(), that would become a call of
  /// its own, which costs 3 % of a simulation's instructions.
  [[gnu::always_inline]] void add(const Decision& decision) {
    if (count_ == list_.size()) list_.resize(2 * count_ + 8);
    list_[count_++] = decision;
  }

  std::vector<Decision> list_;  ///< storage, of which the first `count_` are decisions
  std::size_t count_ = 0;
  std::vector<double> values_;
};

/// The scheduler of one queue, which serves the modules of a group (Plan::served_by). It is called from one
/// thread and never re-entered. `now` is the only clock; all randomness comes from streams keyed by the
/// context's seed. Callbacks that a system does not need keep their empty default.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Called first of all, and again whenever the plan changes.
  virtual void on_plan(TimeNs now, const Plan& plan, Decisions& out) = 0;
  /// Called when a worker joins the queue, idle. on_worker_free follows.
  virtual void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when the worker is to leave once it has run what it has. No more visits may join it; its forming
  /// batch must be launched if there is one.
  virtual void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when these workers are gone at once, with the batches that ran on them. Nothing more is heard of
  /// either, and no decision may name the workers from here on. They may have been draining. `visits` had
  /// joined their forming batches, launched or not, and are in the order in which they joined. They are
  /// queued here again, arrived_ns as before, and may be joined to other workers at once. If no worker is
  /// left that is not draining, on_cancelled follows for every queued visit, these too, because the host
  /// routes them again (unless the queue stays, System::scales_to_zero).
  virtual void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                               Decisions& out) = 0;
  /// Called when a visit arrives at this queue.
  virtual void on_arrival(TimeNs now, const Visit& visit, Decisions& out) = 0;
  /// Called when a queued visit is gone (its request ended elsewhere, or it was handed to another queue):
  /// forget it.
  virtual void on_cancelled(TimeNs now, VisitId visit, Decisions& out) = 0;
  /// Called when the worker is idle and has no launched batch.
  virtual void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) = 0;
  /// Called when a launched batch has started; a new batch may form behind it.
  virtual void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) = 0;
  /// Called when a batch has ended. If another one was launched, its on_batch_started follows, else
  /// on_worker_free.
  virtual void on_batch_done(TimeNs, const BatchView&, Decisions&) {}
  /// Called in place of on_batch_done, and followed by the same calls, when a batch has stopped at an exit
  /// point because the scheduler asked for it (Decisions::preempt). The visits are the batch's, in the order
  /// in which they joined, except any whose requests are known to have ended. They are queued here again,
  /// arrived_ns as before.
  virtual void on_batch_preempted(TimeNs, const BatchView&, std::span<const Visit>, Decisions&) {}
  /// Called when a module's published state has reached this queue (after its delay). The values are the ones
  /// that the module's controller published.
  virtual void on_state(TimeNs, ModuleId, std::span<const double>, Decisions&) {}
  /// Called when the time asked for with wake_at has come.
  virtual void on_timer(TimeNs, Decisions&) {}
};

}  // namespace harness
